/** Who is signed in, and what they may do. The cookie itself is not readable here. */
import { signal } from '@preact/signals';

import { ApiError, request, whenSignedOut } from './api.ts';
import type { Permission } from './api-types.golden.ts';

export type Session = {
  session_id: string;
  account_id: string;
  environment: 'live' | 'test';
  permissions: Permission[];
  created_at: string;
  expires_at: string;
  idle_expires_at: string;
  method: 'link' | 'token' | 'oidc';
};

/** Undefined until the API has answered, null when nobody is signed in. */
export const session = signal<Session | null | undefined>(undefined);
/** Why the sign-in screen is shown, if something went wrong. */
export const signInProblem = signal<string | undefined>(undefined);

export const may = (permission: Permission): boolean =>
  session.value?.permissions.includes(permission) ?? false;

/** Exchanges the code in the fragment for a session if there is one, else asks for the session. */
export async function startSession(): Promise<void> {
  whenSignedOut(() => {
    if (session.value) signInProblem.value = 'Your session has ended. Sign in again.';
    session.value = null;
  });
  const code = new URLSearchParams(location.hash.slice(1)).get('code');
  if (code !== null) {
    // the code leaves the address bar and the history before anything else happens
    history.replaceState(null, '', location.pathname + location.search);
    return signIn({ code });
  }
  try {
    const response = await request('GET', '/v1/sessions/current');
    session.value = (await response.json()) as Session;
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 401))
      signInProblem.value = messageOf(error);
    session.value = null;
  }
}

export async function signIn(credential: { code: string } | { token: string }): Promise<void> {
  try {
    const response = await request('POST', '/v1/sessions', credential);
    session.value = (await response.json()) as Session;
    signInProblem.value = undefined;
  } catch (error) {
    signInProblem.value =
      error instanceof ApiError && error.status === 401
        ? 'code' in credential
          ? 'This link has been used or has expired. Ask for a new one.'
          : 'This token is not valid.'
        : messageOf(error);
    session.value = null;
  }
}

export async function signOut(): Promise<void> {
  await request('DELETE', '/v1/sessions/current').catch(() => undefined);
  signInProblem.value = undefined;
  session.value = null;
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
