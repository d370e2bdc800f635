/** The command palette: screens and actions of the present screen. */
import { useRef, useState } from 'preact/hooks';

import { Dialog } from '../parts/dialog.tsx';
import { shellText } from '../strings/shell.ts';
import { isPaletteOpen, shortcuts } from '../browser/keyboard.ts';
import { go } from '../browser/router.ts';
import type { Screen } from './screens.ts';

type Command = { label: string; hint: string; run: () => void };

const close = () => void (isPaletteOpen.value = false);

export function Palette({ screens }: { screens: readonly Screen[] }) {
  if (!isPaletteOpen.value) return null;
  return <OpenPalette screens={screens} />;
}

function OpenPalette({ screens }: { screens: readonly Screen[] }) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const list = useRef<HTMLUListElement>(null);
  const commands = commandsFor(screens, text);
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
        placeholder={shellText.palettePlaceholder}
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
            key={command.label}
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

function commandsFor(screens: readonly Screen[], text: string): Command[] {
  const wanted = text.trim().toLowerCase();
  const pages = screens
    .filter(({ navigation }) => navigation)
    .map(({ title, path, navigation }) => ({
      label: shellText.goTo(title),
      hint: `g ${navigation?.key ?? ''}`,
      run: () => go(path),
    }));
  const actions = shortcuts.value
    .filter(({ key }) => !key.startsWith('g ') && !['j', 'k', 'o'].includes(key))
    .map(({ key, label, run }) => ({ label, hint: key, run }));
  return [...actions, ...pages].filter(({ label }) => label.toLowerCase().includes(wanted));
}
