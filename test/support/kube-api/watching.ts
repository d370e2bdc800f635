/** Watches of the API server of tests: a stream of JSON lines, filtered by selectors. */
import type { ServerResponse } from 'node:http';

import { expired, statusOf } from './api-error.ts';
import { apiVersionOf, type Definition } from './definitions.ts';
import type { ObjectEvent, Objects, Stored } from './objects.ts';

export type Watching = {
  definition: Definition;
  /** Whether a selector and the namespace include an object. */
  includes: (object: Stored) => boolean;
  /** Resource version to continue from. */
  from: number;
  timeoutMs: number;
  wantsBookmarks: boolean;
};

export type Watches = Disposable & {
  open(response: ServerResponse, watching: Watching): void;
  /** Ends all watches with a bookmark, or breaks their connections in the middle of a line. */
  end(how: 'ends' | 'breaks'): void;
};

type Line = { type: string; object: object };

export function createWatches(objects: Objects): Watches {
  const open = new Set<Watches['end']>();

  return {
    open: (response, { definition, includes, from, timeoutMs, wantsBookmarks }) => {
      const send = (line: Line) => void response.write(`${JSON.stringify(line)}\n`);
      response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
      const missed = objects.since(from);
      if (missed === undefined) {
        const gone = expired(`too old resource version: ${from} (${objects.version()})`);
        send({ type: 'ERROR', object: statusOf(gone) });
        response.end();
        return;
      }
      const tell = (event: ObjectEvent) => {
        if (event.definition === definition)
          for (const line of linesOf(event, includes)) send(line);
      };
      missed.forEach(tell);
      const listening = objects.onEvent(tell);
      const bookmark = () => {
        if (!wantsBookmarks) return;
        const metadata = { resourceVersion: String(objects.version()) };
        const { kind } = definition;
        const object = { apiVersion: apiVersionOf(definition), kind, metadata };
        send({ type: 'BOOKMARK', object });
      };
      const end = (how: 'ends' | 'breaks') => {
        if (!open.delete(end)) return;
        clearTimeout(timeout);
        listening[Symbol.dispose]();
        if (how === 'breaks') response.write('{"type":"MODIF', () => response.destroy());
        else {
          bookmark();
          response.end();
        }
      };
      const timeout = setTimeout(end, timeoutMs, 'ends');
      open.add(end);
      response.on('close', () => end('breaks'));
    },
    end: (how) => open.forEach((end) => end(how)),
    [Symbol.dispose]: () => open.forEach((end) => end('breaks')),
  };
}

/** An object that a selector no longer includes counts as deleted, and a new one as added. */
function linesOf(
  { type, object, before, version }: ObjectEvent,
  includes: (object: Stored) => boolean,
): Line[] {
  const [was, is] = [
    before !== undefined && includes(before),
    type !== 'DELETED' && includes(object),
  ];
  if (is) return [{ type: was ? 'MODIFIED' : 'ADDED', object }];
  if (!was || before === undefined) return [];
  const last = type === 'DELETED' ? object : before;
  const metadata = { ...last.metadata, resourceVersion: String(version) };
  return [{ type: 'DELETED', object: { ...last, metadata } }];
}
