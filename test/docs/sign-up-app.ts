/**
 * A web application with sign-up, login and password reset by email, as small as possible: what the
 * recipes of docs/testing-with-email.md test.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

import type { Transporter } from 'nodemailer';

const page = (body: string): string => `<!doctype html><title>Shop</title><main>${body}</main>`;
const form = (label: string, name: string, button: string, more = ''): string =>
  page(
    `<form method="post"${more}><label>${label} <input name="${name}"></label><button>${button}</button></form>`,
  );
const WELCOME = page('<p>Welcome</p>');
const CHECK_INBOX = page('<p>Check your inbox</p>');

export async function startSignUpApp(
  mailer: Transporter,
): Promise<AsyncDisposable & { url: string }> {
  const codes = new Map<string, string>();
  const tokens = new Set<string>();
  let lastCode = 417_023;

  const send = (to: string, subject: string, body: string, html?: string) =>
    mailer.sendMail({ from: 'Shop <shop@example.com>', to, subject, text: body, html });
  const sendLink = async (to: string, subject: string, path: string) => {
    const token = randomUUID();
    tokens.add(token);
    const link = `${url}${path}?token=${token}`;
    await send(to, subject, `Open ${link}`, `<p><a href="${link}">${subject}</a></p>`);
    return CHECK_INBOX;
  };
  const isValid = (token: string | null): boolean => token !== null && tokens.has(token);

  const ROUTES: Record<string, (query: URLSearchParams, body: URLSearchParams) => unknown> = {
    'GET /sign-up': () => form('Email', 'email', 'Sign up'),
    'POST /sign-up': async (_, body) => {
      const [email, code] = [body.get('email') ?? '', String((lastCode += 7919))];
      codes.set(email, code);
      await send(email, 'Confirm your account', `Your verification code is ${code}.`);
      return form(
        'Code',
        'code',
        'Confirm',
        ` action="/confirm?email=${encodeURIComponent(email)}"`,
      );
    },
    'POST /confirm': (query, body) => {
      const email = body.get('email') ?? query.get('email') ?? '';
      return codes.get(email) === body.get('code') ? WELCOME : page('Wrong code');
    },
    'GET /login': () => form('Email', 'email', 'Send link'),
    'POST /login': (_, body) => sendLink(body.get('email') ?? '', 'Sign in', '/session'),
    'GET /session': (query) => (isValid(query.get('token')) ? WELCOME : page('Wrong link')),
    'GET /forgot-password': () => form('Email', 'email', 'Reset password'),
    'POST /forgot-password': (_, body) =>
      sendLink(body.get('email') ?? '', 'Reset your password', '/reset'),
    'GET /reset': () => form('New password', 'password', 'Save'),
    'POST /reset': (query, body) =>
      isValid(query.get('token')) && body.get('password') ? WELCOME : page('Wrong link'),
  };

  const respond = async (request: IncomingMessage): Promise<string> => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    const route = ROUTES[`${request.method} ${pathname}`];
    const body = new URLSearchParams(await text(request));
    return String(route ? await route(searchParams, body) : page('No such page'));
  };
  const server = createServer((request, response) => {
    respond(request).then(
      (html) => response.setHeader('content-type', 'text/html').end(html),
      () => response.writeHead(500).end(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
