/** Sends a sample to a receiver, and shows its response. */
import { useState } from 'preact/hooks';

import type { WebhookTest } from '../../../core/api/api-types.generated.ts';
import { formatDuration } from '../../parts/format.ts';
import { plain } from '../../parts/plain-text.ts';
import { Status, type Tone } from '../../parts/status.tsx';
import { reporting } from '../../parts/toast.tsx';
import { addressText } from '../../strings/addresses.ts';

const TONE: Record<WebhookTest['outcome'], Tone> = {
  accepted: 'good',
  busy: 'wait',
  refused: 'bad',
  unreachable: 'bad',
  storage_failed: 'bad',
  blocked: 'bad',
};

type Props = { hint: string; send: () => Promise<WebhookTest> };

export function ReceiverTest({ hint, send: ask }: Props) {
  const [result, setResult] = useState<WebhookTest | undefined>();
  const [isBusy, setIsBusy] = useState(false);
  const send = async () => {
    setIsBusy(true);
    setResult(undefined);
    await reporting(async () => setResult(await ask()));
    setIsBusy(false);
  };
  return (
    <section class="card" aria-labelledby="receiver-test">
      <h2 id="receiver-test">{addressText.test}</h2>
      <p class="hint">{hint}</p>
      <button type="button" disabled={isBusy} onClick={() => void send()}>
        {isBusy ? addressText.sending : addressText.sendTest}
      </button>
      <div role="status">{result && <Result result={result} />}</div>
    </section>
  );
}

const Result = ({ result }: { result: WebhookTest }) => (
  <dl class="pairs">
    <div>
      <dt>
        <Status tone={TONE[result.outcome]} text={addressText.outcome[result.outcome]} />
      </dt>
      <dd>
        {result.error === null ? addressText.outcomeText[result.outcome] : plain(result.error)}
      </dd>
    </div>
    {result.status_code !== null && (
      <div>
        <dt>{addressText.statusCode}</dt>
        <dd>{result.status_code}</dd>
      </div>
    )}
    <div>
      <dt>{addressText.latency}</dt>
      <dd>{formatDuration(result.latency_ms)}</dd>
    </div>
    {result.location !== null && (
      <div class="pair-wide">
        <dt>{addressText.location}</dt>
        <dd>{plain(result.location)}</dd>
      </div>
    )}
    {result.excerpt !== null && (
      <div class="pair-wide">
        <dt>{addressText.response}</dt>
        <dd>
          <pre class="excerpt" dir="auto" tabIndex={0}>
            {plain(result.excerpt)}
          </pre>
        </dd>
      </div>
    )}
  </dl>
);
