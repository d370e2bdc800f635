/** The request and the response of one attempt. */
import { useState } from 'preact/hooks';

import type { Delivery } from '../../../../core/api/api-types.generated.ts';
import { setQuery } from '../../../browser/router.ts';
import { plain } from '../../../parts/plain-text.ts';
import { exchangeText } from '../../../strings/mail/exchange.ts';

type Attempt = Delivery['attempts'][number];
type Side = keyof typeof exchangeText.sides;

export function ExchangeView({ attempt }: { attempt: Attempt }) {
  const [side, setSide] = useState<Side>('response');
  const { excerpt, request_headers: sent, response_headers: received, status_code } = attempt;
  const hasBody = excerpt !== null && excerpt !== '';
  if (!sent && !hasBody) return null;
  return (
    <details class="exchange">
      <summary>{exchangeText.title}</summary>
      <div class="tabs" role="group" aria-label={exchangeText.title}>
        {(Object.keys(exchangeText.sides) as Side[]).map((one) => (
          <button key={one} type="button" aria-pressed={one === side} onClick={() => setSide(one)}>
            {exchangeText.sides[one]}
          </button>
        ))}
      </div>
      {side === 'response' ? (
        <>
          {status_code === null && <p>{exchangeText.noResponse}</p>}
          <HeaderList headers={received} />
          {hasBody && (
            <pre tabIndex={0} dir="auto" aria-label={exchangeText.body}>
              {plain(excerpt)}
            </pre>
          )}
          {status_code !== null && !hasBody && <p>{exchangeText.noBody}</p>}
        </>
      ) : (
        <>
          <HeaderList headers={sent} />
          {sent && <p>{exchangeText.masked}</p>}
          <button type="button" onClick={() => setQuery({ view: 'payload' })}>
            {exchangeText.payload}
          </button>
        </>
      )}
    </details>
  );
}

const HeaderList = ({ headers }: { headers: Attempt['request_headers'] }) =>
  headers ? (
    headers.length > 0 && (
      <dl class="exchange-headers">
        {headers.map(({ name, value }, n) => (
          <div key={String(n)}>
            <dt>{plain(name)}</dt>
            <dd>{plain(value)}</dd>
          </div>
        ))}
      </dl>
    )
  ) : (
    <p>{exchangeText.notKept}</p>
  );
