/**
 * Signing in through the organization, or with a pasted API token. A link with a code signs in by
 * itself.
 */
import { useEffect, useState } from 'preact/hooks';

import { Icon } from '../parts/icon.tsx';
import { signInText } from '../strings/sign-in.ts';
import { apiPath, call } from '../client/api.ts';
import { signIn, signInProblem } from './session.ts';

export function SignIn() {
  const [token, setToken] = useState('');
  const [isBusy, setIsBusy] = useState(false);
  const [hasSingleSignOn, setHasSingleSignOn] = useState(false);
  useEffect(() => {
    document.title = `${signInText.title} · Inlet`;
    call('GET /sessions/oidc', {}).then(
      ({ enabled }) => setHasSingleSignOn(enabled),
      () => undefined, // the form works without it, and reports an API that does not respond
    );
  }, []);
  const submit = async (event: Event) => {
    event.preventDefault();
    setIsBusy(true);
    await signIn({ token: token.trim() });
    setIsBusy(false);
  };
  return (
    <main class="sign-in">
      <div class="sign-in-card">
        <h1>
          <Icon name="inlet" /> {signInText.title}
        </h1>
        {signInProblem.value && (
          <p class="notice notice-bad" role="alert">
            {signInProblem.value}
          </p>
        )}
        {hasSingleSignOn && (
          <>
            <a class="button primary wide" href={apiPath('/sessions/oidc/start')}>
              {signInText.singleSignOn}
            </a>
            <p class="hint">{signInText.or}</p>
          </>
        )}
        <form onSubmit={(event) => void submit(event)}>
          <label>
            {signInText.token}
            <input
              type="password"
              name="token"
              autoComplete="off"
              spellcheck={false}
              placeholder={signInText.tokenPlaceholder}
              value={token}
              required
              aria-describedby="token-hint"
              onInput={({ currentTarget }) => setToken(currentTarget.value)}
            />
          </label>
          <p class="hint" id="token-hint">
            {signInText.tokenHint}
          </p>
          <button type="submit" class="primary wide" disabled={isBusy}>
            {isBusy ? signInText.signingIn : signInText.signIn}
          </button>
        </form>
        <hr />
        <p class="hint">{signInText.linkHint}</p>
        <pre>
          <code>{signInText.linkCommand}</code>
        </pre>
      </div>
    </main>
  );
}
