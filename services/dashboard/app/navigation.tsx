/** The navigation: a column on wide screens, of icons on tablets, and a bar at the bottom of phones. */
import { Icon } from '../parts/icon.tsx';
import { Link } from '../parts/link.tsx';
import { shellText } from '../strings/shell.ts';
import { isPaletteOpen, useShortcut } from '../browser/keyboard.ts';
import { go } from '../browser/router.ts';
import { isMenuOpen, Menu } from './menu.tsx';
import { NavigationFoot } from './navigation-foot.tsx';
import type { Screen } from './screens.ts';
import { useIsNew } from '../session/is-new.ts';
import { may, session } from '../session/session.ts';

type Props = { screens: readonly Screen[]; current: string | undefined };

export function Navigation({ screens, current }: Props) {
  const shown = screens.filter(
    // rules, buckets and notifications have nothing to say to who sees no address
    ({ navigation, needs }) => navigation && (needs !== 'account:read' || may('addresses:read')),
  );
  const here = shown.find(({ path }) => current === path || current?.startsWith(`${path}/`));
  return (
    <header class={useIsNew() ? 'navigation is-new' : 'navigation'}>
      <div class="brand">
        <Link to="/" class="wordmark">
          <Icon name="inlet" /> Inlet
        </Link>
        {session.value?.environment === 'test' && <span class="tag">{shellText.test}</span>}
      </div>
      <button type="button" class="search-button" onClick={() => void (isPaletteOpen.value = true)}>
        <Icon name="search" />
        <span>{shellText.search}</span>
        <kbd>{shellText.paletteKeys[isMac ? 'mac' : 'other']}</kbd>
      </button>
      <nav aria-label={shellText.navigation}>
        <ul>
          {shown.flatMap((screen, n) => {
            const { group } = screen.navigation ?? {};
            const isFirst = group !== undefined && group !== shown[n - 1]?.navigation?.group;
            return [
              isFirst && (
                <li key={group} class="navigation-group">
                  {shellText.groups[group]}
                </li>
              ),
              <Entry key={screen.path} screen={screen} isCurrent={screen === here} />,
            ];
          })}
          <li class="more">
            <button
              type="button"
              class={here && !here.navigation?.isTab ? 'current' : ''}
              aria-haspopup="dialog"
              onClick={() => void (isMenuOpen.value = true)}
            >
              <Icon name="more" />
              <span>{shellText.more}</span>
            </button>
          </li>
        </ul>
      </nav>
      <NavigationFoot />
      <Menu screens={shown} />
    </header>
  );
}

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

function Entry({ screen, isCurrent }: { screen: Screen; isCurrent: boolean }) {
  const { navigation, path, title } = screen;
  useShortcut(`g ${navigation?.key ?? ''}`, shellText.goTo(title), () => {
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    go(path); // the screen gets the focus
  });
  return (
    <li class={navigation?.isTab ? 'tab' : ''}>
      <Link
        to={path}
        title={title}
        class={isCurrent ? 'current' : ''}
        aria-current={isCurrent ? 'page' : undefined}
      >
        {navigation && <Icon name={navigation.icon} />}
        <span>{title}</span>
      </Link>
    </li>
  );
}
