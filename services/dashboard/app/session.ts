/** Who is signed in, and what they may do. The cookie itself is not readable here. */
import { signal } from '@preact/signals';

import { ApiError, call, whenSignedOut } from './api.ts';
import type { Permission, Session } from './api-types.golden.ts';
import { signInText } from '../strings/sign-in.ts';

/** Undefined until the API has answered, null when nobody is signed in. */
export const session = signal<Session | null | undefined>(undefined);
/** Why the sign-in screen is shown, if something went wrong. */
export const signInProblem = signal<string | undefined>(undefined);

export const may = (permission: Permission): boolean =>
  session.value?.permissions.includes(permission) ?? false;

/** Exchanges the code in the fragment for a session if there is one, else asks for the session. */
export async function startSession(): Promise<void> {
  whenSignedOut(() => {
    if (session.value) signInProblem.value = signInText.ended;
    session.value = null;
  });
  const fragment = new URLSearchParams(location.hash.slice(1));
  const [code, problem] = [fragment.get('code'), fragment.get('problem')];
  // the code leaves the address bar and the history before anything else happens
  if (code !== null || problem !== null)
    history.replaceState(null, '', location.pathname + location.search);
  if (code !== null) return signIn({ code });
  if (problem !== null) signInProblem.value = signInText.problems[problem];
  try {
    session.value = await call('GET /sessions/current', {});
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 401))
      signInProblem.value = messageOf(error);
    session.value = null;
  }
}

export async function signIn(credential: { code: string } | { token: string }): Promise<void> {
  try {
    session.value = await call('POST /sessions', { body: credential });
    signInProblem.value = undefined;
  } catch (error) {
    signInProblem.value =
      error instanceof ApiError && error.status === 401
        ? 'code' in credential
          ? signInText.usedLink
          : signInText.invalidToken
        : messageOf(error);
    session.value = null;
  }
}

export async function signOut(): Promise<void> {
  await call('DELETE /sessions/current', {}).catch(() => undefined);
  signInProblem.value = undefined;
  session.value = null;
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
