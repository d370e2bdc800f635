/** What to do first, until the first email arrives. */
import { may } from '../../session/session.ts';
import { Link } from '../../parts/link.tsx';
import { overviewText } from '../../strings/overview.ts';

export const FirstSteps = () => (
  <section class="card" aria-labelledby="first-title">
    <h2 id="first-title">{overviewText.firstTitle}</h2>
    <p>{overviewText.firstText}</p>
    <ol class="first-steps">
      {overviewText.steps.map(({ title, text, action, to, needs }) => (
        <li key={title}>
          <h3>{title}</h3>
          <p class="hint">{text}</p>
          {to === undefined ? (
            <a href={overviewText.docs}>{action}</a>
          ) : (
            may(needs) && <Link to={to}>{action}</Link>
          )}
        </li>
      ))}
    </ol>
  </section>
);
