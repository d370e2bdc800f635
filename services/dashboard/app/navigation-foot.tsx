/** The foot of the navigation: the docs, who is signed in to which account, whether events arrive, and the version. */
import { call } from '../client/api.ts';
import { useResource } from '../client/resource.ts';
import { build } from '../browser/build.ts';
import { isSheetOpen } from '../browser/keyboard.ts';
import { nextScheme, scheme, SCHEME_ICON } from '../browser/scheme.ts';
import { Icon, type IconName } from '../parts/icon.tsx';
import { plain } from '../parts/plain-text.ts';
import { isLive } from '../client/is-live.ts';
import { may, mayBeLive, session, signOut } from '../session/session.ts';
import { shellText } from '../strings/shell.ts';

export const NavigationFoot = () => (
  <div class="navigation-foot">
    <a class="docs-link" href="/docs" target="_blank" rel="noopener">
      <Icon name="docs" /> {shellText.docs}
    </a>
    <SignedIn />
    <div class="foot-line">
      {mayBeLive() && (
        <span
          class={isLive.value ? 'live live-on' : 'live'}
          role="status"
          title={isLive.value ? shellText.liveHint : shellText.notLiveHint}
        >
          {isLive.value ? shellText.live : shellText.notLive}
        </span>
      )}
      <div class="foot-buttons">
        <IconButton
          icon={SCHEME_ICON[scheme.value]}
          label={shellText.scheme[scheme.value]}
          press={nextScheme}
        />
        <IconButton
          icon="keyboard"
          label={shellText.shortcuts}
          press={() => void (isSheetOpen.value = true)}
        />
        <IconButton icon="leave" label={shellText.signOut} press={() => void signOut()} />
      </div>
    </div>
    <Build />
  </div>
);

export const Build = () => <p class="build">{shellText.build(build())}</p>;

/** The person, or what the session was opened with, and the account. */
export function SignedIn() {
  const account = useResource('account of the session', async (signal) =>
    may('account:read') ? (await call('GET /account', { signal })).name : undefined,
  );
  const { member, user, method, account_id } = session.value ?? {};
  const opened = method === 'token' ? shellText.withToken : shellText.withLink;
  return (
    <p class="signed-in">
      <span class="visually-hidden">{shellText.signedInAs}</span>
      <strong dir="auto">{plain(member?.name ?? user ?? opened)}</strong>
      <span dir="auto">{plain(account.data ?? account_id ?? '')}</span>
    </p>
  );
}

const IconButton = ({
  icon,
  label,
  press,
}: {
  icon: IconName;
  label: string;
  press: () => void;
}) => (
  <button type="button" class="quiet" aria-label={label} title={label} onClick={press}>
    <Icon name={icon} />
  </button>
);
