/** Sends a sample to a receiver, and shows its response. */
import type { WebhookTest } from '../../../core/api/api-types.generated.ts';
import { formatDuration } from '../../parts/format.ts';
import { plain } from '../../parts/plain-text.ts';
import { Status, type Tone } from '../../parts/status.tsx';
import { addressText } from '../../strings/addresses.ts';
import { TestCard } from './test-card.tsx';

const TONE: Record<WebhookTest['outcome'], Tone> = {
  accepted: 'good',
  busy: 'wait',
  refused: 'bad',
  unreachable: 'bad',
  storage_failed: 'bad',
  blocked: 'bad',
};

type Props = { hint: string; send: () => Promise<WebhookTest> };

export const ReceiverTest = ({ hint, send }: Props) => (
  <TestCard
    id="receiver-test"
    texts={{
      title: addressText.test,
      hint,
      start: addressText.sendTest,
      busy: addressText.sending,
    }}
    test={send}
  >
    {(result) => <TestResult result={result} />}
  </TestCard>
);

export const TestResult = ({ result }: { result: WebhookTest }) => (
  <dl class="pairs">
    <div>
      <dt>
        <Status tone={TONE[result.outcome]} text={addressText.outcome[result.outcome]} />
      </dt>
      <dd>
        {result.error === null ? addressText.outcomeText[result.outcome] : plain(result.error)}
      </dd>
    </div>
    {result.status_code !== null && (
      <div>
        <dt>{addressText.statusCode}</dt>
        <dd>{result.status_code}</dd>
      </div>
    )}
    <div>
      <dt>{addressText.latency}</dt>
      <dd>{formatDuration(result.latency_ms)}</dd>
    </div>
    {result.location !== null && (
      <div class="pair-wide">
        <dt>{addressText.location}</dt>
        <dd>{plain(result.location)}</dd>
      </div>
    )}
    {result.excerpt !== null && (
      <div class="pair-wide">
        <dt>{addressText.response}</dt>
        <dd>
          <pre class="excerpt" dir="auto" tabIndex={0}>
            {plain(result.excerpt)}
          </pre>
        </dd>
      </div>
    )}
  </dl>
);
