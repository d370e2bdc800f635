/** Links between the views of one thing. The view is in the URL. */
import { setQuery } from '../browser/router.ts';

type Props = {
  /** Names the views for screen readers. */
  label: string;
  /** Label by view; the first one is the default. */
  views: Readonly<Record<string, string>>;
  current: string;
};

export const Tabs = ({ label, views, current }: Props) => (
  <div class="tabs" role="group" aria-label={label}>
    {Object.entries(views).map(([view, title], n) => (
      <button
        key={view}
        type="button"
        aria-pressed={view === current}
        onClick={() => setQuery({ view: n === 0 ? undefined : view })}
      >
        {title}
      </button>
    ))}
  </div>
);
