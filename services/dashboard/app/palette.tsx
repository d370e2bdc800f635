/** The command palette: see palette-commands.ts for what it offers. */
import { useEffect, useRef, useState } from 'preact/hooks';

import { Dialog } from '../parts/dialog.tsx';
import { shellText } from '../strings/shell.ts';
import { isPaletteOpen } from '../browser/keyboard.ts';
import { call } from '../client/api.ts';
import { may } from '../session/session.ts';
import { paletteText } from '../strings/palette.ts';
import { type Command, commandsFor, type FoundAddress } from './palette-commands.ts';
import type { Screen } from './screens.ts';

const close = () => void (isPaletteOpen.value = false);

export function Palette({ screens }: { screens: readonly Screen[] }) {
  if (!isPaletteOpen.value) return null;
  return <OpenPalette screens={screens} />;
}

function OpenPalette({ screens }: { screens: readonly Screen[] }) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const list = useRef<HTMLUListElement>(null);
  const commands = commandsFor(screens, useAddresses(text), text);
  const run = (command: Command | undefined) => {
    close();
    command?.run();
  };
  const move = (step: number) => {
    const next = Math.min(Math.max(at + step, 0), commands.length - 1);
    setAt(next);
    list.current?.children[next]?.scrollIntoView({ block: 'nearest' });
  };
  return (
    <Dialog label={shellText.palette} class="palette" onClose={close}>
      <input
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={commands.length > 0 ? `palette-${at}` : undefined}
        aria-label={shellText.palette}
        placeholder={paletteText.placeholder}
        value={text}
        autoFocus
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown') move(1);
          else if (event.key === 'ArrowUp') move(-1);
          else if (event.key === 'Enter') run(commands[at]);
          else return;
          event.preventDefault();
        }}
      />
      <ul id="palette-list" role="listbox" aria-label={shellText.palette} ref={list}>
        {commands.map((command, n) => (
          <li
            key={`${command.hint} ${command.label}`}
            id={`palette-${n}`}
            role="option"
            aria-selected={n === at}
            onClick={() => run(command)}
          >
            <span>{command.label}</span>
            {command.hint !== '' && <kbd>{command.hint}</kbd>}
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

const ASK_AFTER_MS = 150;
const SEARCHED_MIN_CHARS = 2;

/** Addresses with this text; none until the API has responded. */
function useAddresses(text: string): readonly FoundAddress[] {
  const [found, setFound] = useState<readonly FoundAddress[]>([]);
  const search = text.trim();
  useEffect(() => {
    setFound([]);
    if (search.length < SEARCHED_MIN_CHARS || !may('addresses:read')) return undefined;
    const abort = new AbortController();
    const query = { search, limit: 5, include: 'description' } as const;
    const timer = setTimeout(() => {
      call('GET /addresses', { query, signal: abort.signal }).then(
        ({ data }) => setFound(data),
        () => undefined, // the rest of the palette works without them
      );
    }, ASK_AFTER_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [search]);
  return found;
}
