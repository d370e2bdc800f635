/** The search of the mail list: one line of text, whose fields are in the URL. */
import { createRef } from 'preact';
import { useLayoutEffect } from 'preact/hooks';

import { go, place, setQuery } from '../../browser/router.ts';
import { useDraft } from '../../parts/use-draft.ts';
import { mailText } from '../../strings/mail.ts';
import { readSearch, type Search, SEARCH_FIELDS, writeSearch } from './search-syntax.ts';

const PATH = '/mail';

export const searchInUrl = (): Search =>
  Object.fromEntries(
    SEARCH_FIELDS.flatMap((field) => {
      const value = place.value.query.get(field);
      return value ? [[field, value]] : [];
    }),
  );

/** Fields that the search lacks are removed from the URL. */
const searchFor = (search: Search) =>
  setQuery(Object.fromEntries(SEARCH_FIELDS.map((field) => [field, search[field]])));

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
  useLayoutEffect(() => {
    if (isAwaited) enterBox();
    isAwaited = false;
  }, []);
  return (
    <form
      class="search-box"
      onSubmit={(event) => {
        event.preventDefault();
        searchFor(readSearch(text));
        box.current?.blur(); // so that j and k move in the list
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
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={({ key, currentTarget }) => {
          if (key === 'Escape') currentTarget.blur();
        }}
      />
      <button type="submit">{mailText.searchButton}</button>
      <p id="search-hint" class="visually-hidden">
        {mailText.searchHint}
      </p>
    </form>
  );
}
