/**
 * The memory for emails is bounded: above the bound the sender must retry, and large emails are
 * handled one after another.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import {
  createByteBudget,
  createByteQueue,
} from '../../../services/gateway/receive/memory-budget.ts';
import { SmtpRefusal } from '../../../services/core/smtp/smtp-reply.ts';
import { type Pipeline, startPipeline } from '../../support/pipeline.ts';
import { storedMails } from '../stored-mail.ts';
import { dialogue, type SmtpDialogue } from '../../support/smtp-play.ts';

const MEBIBYTE = 1024 * 1024;

async function atDataOf({ smtpPort }: Pipeline, to: string): Promise<SmtpDialogue> {
  const smtp = await dialogue(smtpPort);
  for (const line of ['EHLO a', 'MAIL FROM:<a@b.example>', `RCPT TO:<${to}>`, 'DATA'])
    await smtp.say(line);
  return smtp;
}

describe('a byte queue', () => {
  test('runs what fits at the same time, in order, and a larger piece alone', async () => {
    const queue = createByteQueue(10);
    const log: string[] = [];
    const work = (name: string, ms: number) => async () => {
      log.push(`+${name}`);
      await sleep(ms);
      log.push(`-${name}`);
    };
    await Promise.all([
      queue(4, work('a', 20)),
      queue(6, work('b', 40)),
      queue(50, work('large', 20)),
      queue(1, work('c', 1)),
    ]);
    expect(log).toEqual(['+a', '+b', '-a', '-b', '+large', '-large', '+c', '-c']);
  });

  test('drops what is unwanted while it waits, and nothing else', async () => {
    const queue = createByteQueue(10);
    const running = Promise.withResolvers<string>();
    const [begun, waiting] = [new AbortController(), new AbortController()];
    const first = queue(10, () => running.promise, begun.signal);
    const second = queue(20, async () => 'second', waiting.signal);
    const third = queue(1, async () => 'third');
    begun.abort(new Error('the client has gone'));
    waiting.abort(new Error('the client has gone'));
    await expect(second).rejects.toThrow('the client has gone');
    const late = queue(1, async () => 'late', waiting.signal);
    await expect(late).rejects.toThrow('the client has gone');
    running.resolve('first');
    expect(await Promise.all([first, third])).toEqual(['first', 'third']);
    expect(await queue(1, async () => 'at once', waiting.signal)).toBe('at once');
  });

  test('continues after a failed piece', async () => {
    const queue = createByteQueue(10);
    await expect(queue(10, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(await queue(10, async () => 'next')).toBe('next');
  });
});

test('a byte budget refuses more than it has', () => {
  const budget = createByteBudget(10);
  budget.take(8);
  expect(() => budget.take(3)).toThrow(SmtpRefusal);
  budget.give(8);
  budget.take(10);
});

describe('a gateway', () => {
  let pipeline: Pipeline;
  beforeAll(async () => {
    pipeline = await startPipeline({
      env: { MAX_MESSAGE_BYTES: String(2 * MEBIBYTE), MAX_BYTES_IN_MEMORY: String(2 * MEBIBYTE) },
      withDispatcher: false,
    });
  });
  afterAll(() => pipeline[Symbol.asyncDispose]());

  const atData = (to: string) => atDataOf(pipeline, to);
  const line = `${'x'.repeat(998)}\r\n`;
  const filler = (bytes: number) => Buffer.from(line.repeat(Math.ceil(bytes / 1000)));

  test('refuses an email that does not fit, and accepts it later on the same connection', async () => {
    const { address } = await pipeline.address('/memory');
    await using first = await atData(address);
    await using second = await atData(address);
    first.socket.write('Subject: first\r\n\r\n');
    await new Promise((resolve) => first.socket.write(filler(1.5 * MEBIBYTE), resolve));
    await sleep(200); // until the gateway has read it; sooner only makes the test weaker
    second.socket.write(
      Buffer.concat([Buffer.from('Subject: second\r\n\r\n'), filler(1.5 * MEBIBYTE)]),
    );
    expect(await second.say('.')).toMatch(/^452 4\.3\.1 Insufficient memory/);
    expect(await first.say('.')).toMatch(/^250 2\.6\.0/);

    for (const command of ['MAIL FROM:<a@b.example>', `RCPT TO:<${address}>`, 'DATA'])
      await second.say(command);
    second.socket.write(
      Buffer.concat([Buffer.from('Subject: second\r\n\r\n'), filler(1.5 * MEBIBYTE)]),
    );
    expect(await second.say('.')).toMatch(/^250 2\.6\.0/);
  });

  test('accepts an email whose lines all begin with a dot, byte for byte', async () => {
    const { address, id } = await pipeline.address('/dots');
    await using smtp = await atData(address);
    const lines = Array.from({ length: 20_000 }, (_, i) => `.${i % 3 === 0 ? '.' : i}\r\n`);
    smtp.socket.write(`Subject: dots\r\n\r\n${lines.map((one) => `.${one}`).join('')}`);
    expect(await smtp.say('.')).toMatch(/^250 2\.6\.0/);
    const [stored] = await storedMails(pipeline.nats, id);
    expect(stored?.payload.content.text).toBe(lines.join('').replaceAll('\r\n', '\n'));
  });

  test('releases the memory of a client that disconnected', async () => {
    const { address } = await pipeline.address('/memory');
    for (let i = 0; i < 3; i++) {
      await using gone = await atData(address);
      await new Promise((resolve) => gone.socket.write(filler(1.5 * MEBIBYTE), resolve));
      await sleep(100);
    }
    await sleep(100);
    await using last = await atData(address);
    last.socket.write(
      Buffer.concat([Buffer.from('Subject: last\r\n\r\n'), filler(1.5 * MEBIBYTE)]),
    );
    expect(await last.say('.')).toMatch(/^250 2\.6\.0/);
  });
});
