/** Who is signed in, and what they may do. The cookie itself is not readable here. */
import { signal } from '@preact/signals';

import { ApiError, call, whenSignedOut } from '../client/api.ts';
import type { Permission, Session } from '../../core/api/api-types.generated.ts';
import { confirm } from '../parts/confirm.tsx';
import { toast } from '../parts/toast.tsx';
import { signInText } from '../strings/sign-in.ts';

/** Undefined until the API has answered, null when nobody is signed in. */
export const session = signal<Session | null | undefined>(undefined);
/** Why the sign-in screen is shown, if something went wrong. */
export const signInProblem = signal<string | undefined>(undefined);

/** Permissions that a session of a limited token can use: the others concern the account. */
const ABOUT_ADDRESSES = /^(addresses|deliveries|usage|secrets):/;

/** Whether the session is of a token that is limited to addresses. */
export const isLimited = (): boolean =>
  Boolean(session.value?.address_ids ?? session.value?.labels);

/** Whether a person of the account uses it, who may have tokens of their own. */
export const isMember = (): boolean => Boolean(session.value?.member) && !isLimited();

/** Whether it belongs to the person who uses this session. */
export const isOwn = ({ member_id: id }: { member_id: string | null }): boolean =>
  id !== null && id === session.value?.member?.id;

export const may = (permission: Permission): boolean =>
  session.value?.permissions.includes(permission) === true &&
  (!isLimited() || ABOUT_ADDRESSES.test(permission));

/** Whether the live stream has anything for it. */
export const mayBeLive = (): boolean =>
  may('deliveries:read') || may('addresses:read') || may('tokens:read');

/** Exchanges the code in the fragment for a session if there is one, else asks for the session. */
export async function startSession(): Promise<void> {
  whenSignedOut(() => {
    if (session.value) signInProblem.value = signInText.ended;
    session.value = null;
  });
  // a link that is opened where the dashboard is already open changes only the fragment
  addEventListener('hashchange', () => {
    const { code } = takeFragment();
    if (code !== null) void signIn({ code });
  });
  const { code, problem } = takeFragment();
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

/** The code leaves the address bar and the history before anything else happens. */
function takeFragment(): Record<'code' | 'problem', string | null> {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const [code, problem] = [fragment.get('code'), fragment.get('problem')];
  if (code !== null || problem !== null)
    history.replaceState(null, '', location.pathname + location.search);
  return { code, problem };
}

type Credential = { code: string; switch_account?: boolean } | { token: string };

export async function signIn(credential: Credential): Promise<void> {
  try {
    session.value = await call('POST /sessions', { body: credential });
    signInProblem.value = undefined;
  } catch (error) {
    if (error instanceof ApiError && error.field === 'switch_account' && 'code' in credential)
      return askToSwitch(credential.code, error.message);
    signInProblem.value =
      error instanceof ApiError && error.status === 401
        ? 'code' in credential
          ? signInText.usedLink
          : signInText.invalidToken
        : messageOf(error);
    session.value = null;
  }
}

/** The link opens another account than the one that this browser is signed in to. */
async function askToSwitch(code: string, text: string): Promise<void> {
  session.value = await call('GET /sessions/current', {});
  const { switchTitle: title, switchAction: action } = signInText;
  if (!(await confirm({ title, text, action }))) return;
  await signIn({ code, switch_account: true });
  if (session.value) location.reload(); // no screen may keep data of the former account
}

/** A session that could not be ended is still open: the screen stays, and says so. */
export async function signOut(): Promise<void> {
  try {
    await call('DELETE /sessions/current', {});
  } catch (error) {
    const isEnded = error instanceof ApiError && error.status === 401;
    if (!isEnded) return toast(messageOf(error), true);
  }
  signInProblem.value = undefined;
  session.value = null;
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
