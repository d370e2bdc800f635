/** Leads from accepted to refused email and back. */
import { go } from '../../browser/router.ts';
import { mailText } from '../../strings/mail/mail.ts';

const PATHS = { accepted: '/mail', refused: '/mail/refused' } as const;
type View = keyof typeof PATHS;

export const MailViews = ({ shown }: { shown: View }) => (
  <div class="segments" role="group" aria-label={mailText.views}>
    {(Object.keys(PATHS) as View[]).map((view) => (
      <button
        key={view}
        type="button"
        aria-pressed={view === shown}
        onClick={() => go(PATHS[view])}
      >
        {mailText.view[view]}
      </button>
    ))}
  </div>
);
