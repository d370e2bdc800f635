/** Deletes what a screen shows, after a question, and leads back to the list. */
import { go } from '../../browser/router.ts';
import { confirm } from '../confirm.tsx';
import { reporting } from '../toast.tsx';

type Props = {
  texts: { remove: string; removed: string; removeTitle: string };
  /** What happens then. */
  text: string;
  remove: () => Promise<unknown>;
  /** The list. */
  back: string;
};

export function RemoveButton({ texts, text, remove, back }: Props) {
  const { removeTitle: title, remove: action, removed } = texts;
  const ask = async () => {
    if (!(await confirm({ title, text, action, isDestructive: true }))) return;
    if (await reporting(remove, removed)) go(back);
  };
  return (
    <button type="button" class="danger" onClick={() => void ask()}>
      {action}
    </button>
  );
}
