/** What the command palette offers: actions, screens, addresses, pages of the docs, a search of mail. */
import type { Address } from '../../core/api/api-types.generated.ts';
import { isSheetOpen, shortcuts } from '../browser/keyboard.ts';
import { go } from '../browser/router.ts';
import { type Scheme, scheme } from '../browser/scheme.ts';
import { plain } from '../parts/plain-text.ts';
import { openSearch } from '../screens/search/search-box.tsx';
import { may, signOut } from '../session/session.ts';
import { paletteText } from '../strings/palette.ts';
import { shellText } from '../strings/shell.ts';
import type { Screen } from './screens.ts';

export type Command = {
  label: string;
  /** A key, or the kind of what it leads to. */
  hint: string;
  /** Further words by which it is found. */
  words?: string;
  run: () => void;
};

/** Pages of the docs, from their table: title, name of the file, its first sections. */
declare const DOC_PAGES: readonly (readonly [title: string, page: string, about: string])[];

const DOCS_WITHOUT_TEXT = 0;
const DOCS_SHOWN = 6;
const ADDRESSES_SHOWN = 5;

/** The description is there, because the list was asked for it. */
export type FoundAddress = Pick<Address, 'id' | 'address'> & { description?: string | null };

export function commandsFor(
  screens: readonly Screen[],
  addresses: readonly FoundAddress[],
  text: string,
): Command[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = ({ label, words: more = '' }: Command) => {
    const all = `${label} ${more}`.toLowerCase();
    return words.every((word) => all.includes(word));
  };
  // `mail` finds the screen Mail before “Failed emails”
  const beginsWords = ({ label }: Command) => {
    const starts = label.toLowerCase().split(/[^\p{L}\p{N}]+/u);
    return words.every((word) => starts.some((start) => start.startsWith(word)));
  };
  const docs = DOC_PAGES.map(docCommand).filter(matches);
  const own = [...shortcutCommands(), ...actions(), ...screenCommands(screens)].filter(matches);
  return [
    ...own.toSorted((one, other) => Number(beginsWords(other)) - Number(beginsWords(one))),
    ...addresses.slice(0, ADDRESSES_SHOWN).map(addressCommand),
    ...docs.slice(0, words.length > 0 ? DOCS_SHOWN : DOCS_WITHOUT_TEXT),
    ...(words.length > 0 && may('deliveries:read') ? [searchCommand(text.trim())] : []),
  ];
}

/** Actions of the present screen. */
const shortcutCommands = (): Command[] =>
  shortcuts.value
    .filter(({ key }) => !key.startsWith('g ') && !['j', 'k', 'o'].includes(key))
    .map(({ key, label, run }) => ({ label, hint: key, run }));

const screenCommands = (screens: readonly Screen[]): Command[] =>
  screens
    .filter(({ navigation }) => navigation)
    .map(({ title, path, navigation }) => ({
      label: shellText.goTo(title),
      hint: `g ${navigation?.key ?? ''}`,
      run: () => go(path),
    }));

function actions(): Command[] {
  const schemes = (Object.keys(shellText.scheme) as Scheme[]).filter((one) => one !== scheme.value);
  const taken = new Set(shortcuts.value.map(({ label }) => label));
  return [
    ...paletteText.actions
      .filter(({ needs, label }) => may(needs) && !taken.has(label))
      .map(({ label, words, to }) => ({ label, words, hint: '', run: () => go(to) })),
    ...schemes.map((one) => ({
      label: shellText.scheme[one],
      words: paletteText.schemeWords,
      hint: '',
      run: () => void (scheme.value = one),
    })),
    { label: shellText.shortcuts, hint: '?', run: () => void (isSheetOpen.value = true) },
    { label: shellText.signOut, words: 'logout', hint: '', run: () => void signOut() },
    { label: paletteText.reference, words: 'api', hint: '', run: () => openPage('/v1/docs') },
  ];
}

const addressCommand = ({ id, address, description }: FoundAddress): Command => ({
  label: description ? `${address} · ${plain(description)}` : address,
  hint: paletteText.address,
  run: () => go(`/addresses/${id}`),
});

const docCommand = ([title, page, about]: (typeof DOC_PAGES)[number]): Command => ({
  label: title,
  words: `docs ${about}`,
  hint: paletteText.docs,
  run: () => openPage(`/docs/${page}`),
});

const searchCommand = (text: string): Command => ({
  label: paletteText.searchMail(text),
  hint: paletteText.mail,
  run: () => openSearch(text),
});

const openPage = (path: string): void => void window.open(path, '_blank', 'noopener');
