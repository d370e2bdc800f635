/** Deletes what a screen or a row shows, after a question. */
import { go } from '../../browser/router.ts';
import { confirm } from '../confirm.tsx';
import { reporting } from '../toast.tsx';

type Props = {
  texts: { remove: string; removed: string; removeTitle: string };
  /** What happens then. */
  text: string;
  remove: () => Promise<unknown>;
} & (
  | {
      /** The list, to which a screen leads back. */
      back: string;
    }
  /** The row of a list, which is loaded again. */
  | { name: string; reload: () => void }
);

export function RemoveButton({ texts, text, remove, ...place }: Props) {
  const { removeTitle: title, remove: action, removed } = texts;
  const ask = async () => {
    if (!(await confirm({ title, text, action, isDestructive: true }))) return;
    if (!(await reporting(remove, removed))) return;
    if ('back' in place) go(place.back);
    else place.reload();
  };
  const isRow = 'name' in place;
  return (
    <button type="button" class={isRow ? '' : 'danger'} onClick={() => void ask()}>
      {action}
      {isRow && <span class="visually-hidden"> {place.name}</span>}
    </button>
  );
}
