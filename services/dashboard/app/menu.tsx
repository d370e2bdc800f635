/** The menu of phones: every screen, and what the foot of the navigation has on wider ones. */
import { signal } from '@preact/signals';

import { Dialog } from '../parts/dialog.tsx';
import { Icon } from '../parts/icon.tsx';
import { Link } from '../parts/link.tsx';
import { shellText } from '../strings/shell.ts';
import { nextScheme, scheme, SCHEME_ICON } from '../browser/scheme.ts';
import { signOut } from '../session/session.ts';
import { Build, SignedIn } from './navigation-foot.tsx';
import type { Screen } from './screens.ts';

export const isMenuOpen = signal(false);

const close = () => void (isMenuOpen.value = false);

export function Menu({ screens }: { screens: readonly Screen[] }) {
  if (!isMenuOpen.value) return null;
  return (
    <Dialog label={shellText.menu} class="menu" onClose={close}>
      <ul onClick={close}>
        {screens.map(({ path, title, navigation }) => (
          <li key={path}>
            <Link to={path}>
              {navigation && <Icon name={navigation.icon} />} {title}
            </Link>
          </li>
        ))}
      </ul>
      <SignedIn />
      <div class="menu-foot">
        <a class="button" href="/docs" target="_blank" rel="noopener">
          <Icon name="docs" /> {shellText.docs}
        </a>
        <button type="button" onClick={nextScheme}>
          <Icon name={SCHEME_ICON[scheme.value]} /> {shellText.scheme[scheme.value]}
        </button>
        <button
          type="button"
          onClick={() => {
            close(); // else it is open again after the next sign-in
            void signOut();
          }}
        >
          <Icon name="leave" /> {shellText.signOut}
        </button>
      </div>
      <Build />
    </Dialog>
  );
}
