/** What the nodes of a NATS cluster do for each other: who leads, who is connected where, and messages between them. */
import { z } from 'zod';

import { sum } from '../statistics.ts';

const Routes = z.object({
  server_name: z.string(),

  routes: z.array(z.object({ out_msgs: z.int(), out_bytes: z.int() })),
});
const Clients = z.object({ connections: z.array(z.object({ name: z.string().optional() })) });
const Streams = z.object({
  account_details: z
    .array(
      z.object({
        stream_detail: z.array(
          z.object({
            name: z.string(),
            cluster: z.object({ leader: z.string().optional() }).optional(),
            consumer_detail: z
              .array(z.object({ cluster: z.object({ leader: z.string().optional() }).optional() }))
              .optional(),
          }),
        ),
      }),
    )
    .optional(),
});

export type Placement = {
  node: string;
  /** MAIL and RETRY streams, and their consumers, that this node leads. */
  streams: number;
  consumers: number;
  /** Connections of each service. */
  clients: Readonly<Record<string, number>>;
};

/** The share of requests that a client sends to a node other than the one that leads. */
export function hopShare(
  nodes: readonly Placement[],
  leads: 'streams' | 'consumers',
  service: string,
): number {
  const leaders = sum(nodes.map((node) => node[leads]));
  const connections = sum(nodes.map(({ clients }) => clients[service] ?? 0));
  const local = nodes.map((node) => node[leads] * (node.clients[service] ?? 0));
  return 1 - sum(local) / (leaders * connections);
}

/** Sums over all routes since the start of the nodes. */
export type RouteCount = { messages: number; bytes: number };

async function read<T>(schema: z.ZodType<T>, url: string): Promise<T> {
  return schema.parse(await (await fetch(url)).json());
}

export const routeCount = async (monitorUrls: readonly string[]): Promise<RouteCount> => {
  const all = await Promise.all(monitorUrls.map((url) => read(Routes, `${url}/routez`)));
  const routes = all.flatMap((one) => one.routes);
  return {
    messages: sum(routes.map(({ out_msgs }) => out_msgs)),
    bytes: sum(routes.map(({ out_bytes }) => out_bytes)),
  };
};

export const placements = (monitorUrls: readonly string[]): Promise<Placement[]> =>
  Promise.all(
    monitorUrls.map(async (url): Promise<Placement> => {
      const { server_name: node } = await read(Routes, `${url}/routez`);
      const { connections } = await read(Clients, `${url}/connz`);
      const { account_details = [] } = await read(Streams, `${url}/jsz?consumers=true&config=true`);
      const lanes = account_details
        .flatMap(({ stream_detail }) => stream_detail)
        .filter(({ name }) => /^(MAIL|RETRY)-/.test(name));
      const leads = ({ cluster }: { cluster?: { leader?: string | undefined } | undefined }) =>
        (cluster?.leader ?? node) === node;
      const names = connections.map(({ name = 'other' }) => name);
      return {
        node,
        streams: lanes.filter(leads).length,
        consumers: lanes.flatMap(({ consumer_detail = [] }) => consumer_detail.filter(leads))
          .length,
        clients: Object.fromEntries(
          [...Map.groupBy(names, (name) => name)].map(([name, of]) => [name, of.length]),
        ),
      };
    }),
  );

/** Streams and consumers of a node, over all accounts. */
export async function streamTotals(
  monitorUrls: readonly string[],
): Promise<{ streams: number; consumers: number }> {
  return read(z.object({ streams: z.int(), consumers: z.int() }), `${monitorUrls[0]}/jsz`);
}
