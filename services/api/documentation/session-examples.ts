/** The examples of the calls that the dashboard needs: sessions, stream and plots. */
import type { UsageIntervalView, UsageTotalView } from '../../core/usage/usage-series.ts';
import type { SessionView } from '../../core/account/session.ts';

const CODE = 'EXAMPLE-not-a-valid-code-EXAMPLE-1234567890';

const session: SessionView = {
  session_id: 'session_01k9wzq3a5b7c9d2e4f6g8h1jk',
  account_id: 'acc_01k9wzk1r3s5t7u9v2w4x6y8za',
  environment: 'live',
  permissions: ['addresses:read', 'deliveries:read'],
  method: 'link',
  user: null,
  created_at: '2026-11-21T08:00:02Z',
  expires_at: '2026-11-28T08:00:02Z',
  idle_expires_at: '2026-11-21T20:00:02Z',
  source_ip: '203.0.113.7',
  user_agent: 'Mozilla/5.0',
  current: true,
};
const ended = { id: session.session_id, deleted: true };

export const SESSION_ID = session.session_id;

export const SESSION_EXAMPLES = {
  createDashboardLink: {
    request: { permissions: ['addresses:read', 'deliveries:read'], expires_in_seconds: 120 },
    response: {
      url: `https://inlet.example.com/dashboard/#code=${CODE}`,
      expires_at: '2026-11-21T08:02:02Z',
    },
  },
  createSession: { request: { code: CODE }, response: session },
  listSessions: { response: { data: [session] } },
  getCurrentSession: { response: session },
  deleteCurrentSession: { response: ended },
  deleteSession: { response: ended },
  getSingleSignOn: { response: { enabled: true } },
};

/** The beginning of GET /stream. */
export const STREAM_EXAMPLE = [
  'retry: 2000',
  '',
  'event: stream.ready',
  'id: eyJ0IjoxNzk1MjQ4MDAyMDAwLCJtIjp7IjAiOjQxfX0',
  'data: {"type":"stream.ready","at":"2026-11-21T08:00:02Z"}',
  '',
  '',
].join('\n');

export const USAGE_INTERVAL: UsageIntervalView = {
  start: '2026-11-20T23:00:00Z',
  received: 941,
  delivered: 930,
  failed: 4,
  waiting: 7,
  p50_ms: 84,
  p95_ms: 310,
};

export const USAGE_TOTAL: UsageTotalView = {
  received: 941,
  delivered: 930,
  failed: 4,
  waiting: 7,
  success_rate: 99.57,
  p50_ms: 84,
  p95_ms: 310,
};
