/** The calls that the scenario `api` measures, with their goals. */
import type { ApiLoadRequest } from './api-load-process.ts';

export type Call = Pick<ApiLoadRequest, 'method' | 'paths' | 'body'> & {
  title: string;
  connections?: number;
  warmUpSeconds?: number;
  /** Of the requests per second of plain Koa, or in milliseconds. */
  goal?: { ofKoa: number } | { p95Ms: number };
};

/** An account may have so many lists in progress (services/api/http/limits/slots.ts). */
export const LIST_CONNECTIONS = 16;
export const SEARCH_CONNECTIONS = 2; // a search costs more, and people search one after another
const SEARCH_WARM_UP_SECONDS = 1; // MongoDB does most of the work
const SEARCH_GOAL_P95_MS = 50;
const HOOK = 'https://hooks.example.com/inbound/orders';

/** @param addressIds some of the account, and so are eventIds */
export const apiCalls = (
  addressIds: readonly string[],
  eventIds: readonly string[],
  deliveryCount: number,
): Call[] => [
  {
    title: 'GET /addresses/{id}',
    method: 'GET',
    paths: addressIds.map((id) => `/addresses/${id}`),
    goal: { ofKoa: 0.15 },
  },
  {
    title: 'GET /addresses',
    method: 'GET',
    paths: ['/addresses?limit=100'],
    connections: LIST_CONNECTIONS,
    goal: { ofKoa: 0.15 },
  },
  {
    title: 'GET /deliveries/{id}',
    method: 'GET',
    paths: eventIds.map((id) => `/deliveries/${id}`),
    goal: { ofKoa: 0.15 },
  },
  {
    title: 'GET /deliveries',
    method: 'GET',
    paths: ['/deliveries?limit=100'],
    connections: LIST_CONNECTIONS,
    goal: { ofKoa: 0.15 },
  },
  {
    title: 'GET /deliveries of an address',
    method: 'GET',
    paths: addressIds.map((id) => `/deliveries?address_id=${id}`),
    connections: LIST_CONNECTIONS,
  },
  { title: 'GET /usage', method: 'GET', paths: ['/usage'], goal: { ofKoa: 0.15 } },
  {
    title: 'POST /addresses',
    method: 'POST',
    paths: ['/addresses'],
    body: JSON.stringify({ webhook_url: HOOK, description: 'orders of one shop' }),
    goal: { ofKoa: 0.06 },
  },
  ...searches(deliveryCount),
];

const timeOf = (daysAgo: number) => new Date(Date.now() - daysAgo * 86_400_000).toISOString();

/** From the easiest search to the hardest, see the words of api-seed.ts. */
function searches(deliveryCount: number): Call[] {
  const dates = `start_date=${timeOf(20)}&end_date=${timeOf(9)}`;
  const queries: Record<string, string> = {
    'a word in every email': 'subject=order',
    'a word in none': 'subject=elephant',
    'a word in 1 %': 'subject=returned',
    'two words in every email': 'subject=order%20inlet',
    'every email and one': `subject=order%20${1_000_000 + Math.floor(deliveryCount / 2)}`,
    'a sender and a word': 'sender=@company-7.example&subject=order',
    'a sender and a problem, frequent': 'sender=@company-1.example&verdict=spf%3Dfail',
    'a word and a status': 'subject=order&status=failed',
    'a word in 1 %, a status and dates': `subject=returned&status=failed&${dates}`,
    '1 % and 2 %, never together': 'subject=returned&verdict=spf%3Dfail',
  };
  return Object.entries(queries).map(([title, query]) => ({
    title: `search: ${title}`,
    method: 'GET',
    paths: [`/deliveries?${query}`],
    connections: SEARCH_CONNECTIONS,
    warmUpSeconds: SEARCH_WARM_UP_SECONDS,
    goal: { p95Ms: SEARCH_GOAL_P95_MS },
  }));
}
