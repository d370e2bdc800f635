/** The frame of every screen: sign-in, navigation, the screen itself, and the layers above it. */
import type { ComponentChildren } from 'preact';
import { useEffect, useErrorBoundary, useLayoutEffect, useRef } from 'preact/hooks';

import { Confirmation } from '../parts/confirm.tsx';
import { EmptyState } from '../parts/states.tsx';
import { Link } from '../parts/link.tsx';
import { Toasts } from '../parts/toast.tsx';
import { ReplayProgress } from '../screens/replay/replay-progress.tsx';
import { searchMail } from '../screens/search/search-box.tsx';
import { mailText } from '../strings/mail/mail.ts';
import { shellText } from '../strings/shell.ts';
import { moveRow, openRow, useShortcut } from '../browser/keyboard.ts';
import { Navigation } from './navigation.tsx';
import { Palette } from './palette.tsx';
import { go, match, screenUrl } from '../browser/router.ts';
import { type Screen, SCREENS } from './screens.ts';
import { isLimited, isMember, may, session } from '../session/session.ts';
import { ShortcutSheet } from './shortcut-sheet.tsx';
import { SignIn } from '../session/sign-in.tsx';

export function Shell() {
  if (session.value === undefined) return <div class="starting" aria-busy="true" />;
  if (session.value === null) return <SignIn />;
  return <SignedIn />;
}

function SignedIn() {
  useShortcut('j', shellText.nextRow, () => moveRow(1));
  useShortcut('k', shellText.previousRow, () => moveRow(-1));
  useShortcut('o', shellText.openRow, openRow);
  useShortcut('/', mailText.searchButton, may('deliveries:read') ? searchMail : undefined);
  const { path } = screenUrl.value;
  const found = screenAt(path);
  useFocus(path);
  useEffect(() => {
    if (path === '/' && !found) go(mayReadMail() ? '/overview' : '/usage');
  });
  // before the effect of PageHead, which knows the name of what is shown
  useLayoutEffect(() => {
    document.title = found ? `${found.screen.title} · Inlet` : 'Inlet';
  }, [found?.screen]);
  return (
    <div class="shell">
      <a class="skip" href="#main">
        {shellText.skip}
      </a>
      <Navigation screens={allowedScreens()} current={found?.screen.path} />
      <main id="main" tabIndex={-1}>
        <ReplayProgress />
        <ScreenAt found={found} />
      </main>
      <Palette screens={allowedScreens()} />
      <ShortcutSheet />
      <Confirmation />
      <Toasts />
    </div>
  );
}

/** The focused element of the former screen no longer exists, so the next screen gets the focus. */
function useFocus(path: string): void {
  const former = useRef('/');
  useEffect(() => {
    const isFirst = former.current === '/';
    former.current = path;
    if (!isFirst && document.activeElement === document.body)
      document.querySelector('main')?.focus({ preventScroll: true });
  }, [path]);
}

type Found = { screen: Screen; params: Record<string, string> };

function ScreenAt({ found }: { found: Found | undefined }) {
  if (!found)
    return (
      <EmptyState isScreen title={shellText.unknownTitle} text={shellText.unknownText}>
        <Link to="/">{shellText.toStart}</Link>
      </EmptyState>
    );
  const { screen, params } = found;
  if (screen.needs && !isAllowed(screen))
    return (
      <EmptyState
        isScreen
        title={shellText.forbiddenTitle}
        text={shellText.forbiddenText(screen.needs)}
      />
    );
  const Shown = screen.show;
  return (
    <Guarded key={screenUrl.value.path}>
      <Shown title={screen.title} params={params} />
    </Guarded>
  );
}

/** A screen that throws must not take the navigation with it. */
function Guarded({ children }: { children: ComponentChildren }) {
  const [error] = useErrorBoundary((thrown: unknown) => reportError(thrown));
  if (error === undefined) return <>{children}</>;
  return (
    <EmptyState isScreen title={shellText.brokenTitle} text={shellText.brokenText}>
      <button type="button" onClick={() => location.reload()}>
        {shellText.reload}
      </button>
    </EmptyState>
  );
}

const isAllowed = ({ needs, isOfAccount, isOpenToMembers }: Screen): boolean =>
  (!needs || may(needs) || (isOpenToMembers === true && isMember())) &&
  !(isOfAccount && isLimited());

/** Others have to do with usage and invoices only. */
const mayReadMail = () => may('deliveries:read') || may('addresses:read') || !may('usage:read');

const allowedScreens = () => SCREENS.filter(isAllowed);

function screenAt(path: string): Found | undefined {
  for (const screen of SCREENS) {
    const params = match(screen.path, path);
    if (params) return { screen, params };
  }
  return undefined;
}
