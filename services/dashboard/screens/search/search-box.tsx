/** The search of the mail list: one line of text, whose fields are in the URL. */
import { signal } from '@preact/signals';
import { createRef } from 'preact';
import { useLayoutEffect } from 'preact/hooks';

import { go, screenUrl, setQuery } from '../../browser/router.ts';
import { useDraft } from '../../parts/use-draft.ts';
import { mailText, type SearchProblem } from '../../strings/mail/mail.ts';
import { readSearch, type Search, SEARCH_FIELDS, writeSearch } from './search-syntax.ts';

const PATH = '/mail';

export const searchInUrl = (): Search =>
  Object.fromEntries(
    SEARCH_FIELDS.flatMap((field) => {
      const value = screenUrl.value.query.get(field);
      return value ? [[field, value]] : [];
    }),
  );

/**
 * Fields that the search lacks are removed from the URL.
 * @returns why the text is not searched
 */
function searchFor(text: string): SearchProblem | undefined {
  const { search, status, opens, problem } = readSearch(text);
  if (opens !== undefined) go(opens);
  else if (problem === undefined)
    setQuery({
      ...Object.fromEntries(SEARCH_FIELDS.map((field) => [field, search[field]])),
      ...(status && { status }),
    });
  return problem;
}

/** Searches from any screen. The list says what is wrong with a text that cannot be searched. */
export function openSearch(text: string): void {
  go(PATH);
  const problem = searchFor(text);
  if (problem) searchMail();
}

/** Why the text in the box is not searched. The list still shows the former search. */
export const searchProblem = signal<SearchProblem | undefined>(undefined);

/** The box, while the mail list is shown. */
const box = createRef<HTMLInputElement>();
/** Focus was requested before the box was mounted. */
let isAwaited = false;

/**
 * Focuses the box from any screen, before the next key press, which would otherwise be a shortcut.
 */
export function searchMail(): void {
  if (box.current) return enterBox();
  isAwaited = true;
  go(PATH);
}

function enterBox(): void {
  box.current?.focus();
  box.current?.select();
}

export function SearchBox() {
  const [text, setText] = useDraft(writeSearch(searchInUrl()));
  const problem = searchProblem.value;
  const setProblem = (now: SearchProblem | undefined) => void (searchProblem.value = now);
  useLayoutEffect(() => {
    if (isAwaited) enterBox();
    isAwaited = false;
    return () => void (searchProblem.value = undefined);
  }, []);
  return (
    <form
      class="search-box"
      onSubmit={(event) => {
        event.preventDefault();
        const found = searchFor(text);
        setProblem(found);
        if (!found) box.current?.blur(); // so that j and k move in the list
      }}
    >
      <input
        ref={box}
        type="search"
        aria-label={mailText.search}
        aria-describedby="search-hint"
        placeholder={mailText.searchPlaceholder}
        maxLength={400}
        autoComplete="off"
        spellcheck={false}
        value={text}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          setProblem(undefined);
        }}
        onKeyDown={({ key, currentTarget }) => {
          if (key === 'Escape') currentTarget.blur();
        }}
      />
      <button type="submit">{mailText.searchButton}</button>
      <p id="search-hint" class={problem ? 'search-problem' : 'visually-hidden'} role="status">
        {problem ? mailText.searchProblem(problem) : mailText.searchHint}
      </p>
    </form>
  );
}
