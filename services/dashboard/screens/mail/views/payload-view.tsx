/** The payload as it is sent, and a command that sends it by hand. */
import { useState } from 'preact/hooks';

import { apiPath, call, request } from '../../../client/api.ts';
import { useResource } from '../../../client/resource.ts';
import { may } from '../../../session/session.ts';
import { CodeBlock } from '../../../parts/copy.tsx';
import { formatSize } from '../../../parts/format.ts';
import { Icon } from '../../../parts/icon.tsx';
import { escaped } from '../../../parts/plain-text.ts';
import { saveFile } from '../../../parts/save.ts';
import { Loaded } from '../../../parts/states.tsx';
import { reporting } from '../../../parts/toast.tsx';
import { emailText } from '../../../strings/mail/email.ts';
import { curlCommand } from './curl-command.ts';

/** Larger payloads are shown on request. */
const SHOWN_MAX_BYTES = 512 * 1024;

export function PayloadView({ eventId, sizeBytes }: { eventId: string; sizeBytes: number }) {
  const [isAsked, setIsAsked] = useState(sizeBytes <= SHOWN_MAX_BYTES);
  if (isAsked) return <LoadedPayload eventId={eventId} />;
  return (
    <div class="card">
      <p>{emailText.payloadLarge(formatSize(sizeBytes))}</p>
      <button type="button" onClick={() => setIsAsked(true)}>
        {emailText.showPayload}
      </button>
    </div>
  );
}

function LoadedPayload({ eventId }: { eventId: string }) {
  const resource = useResource(`payload ${eventId}`, async (signal) => {
    const path = apiPath('/deliveries/{event_id}/payload', { event_id: eventId });
    return (await request('GET', path, undefined, signal)).text();
  });
  return (
    <Loaded resource={resource} rows={8}>
      {(payload) => (
        <div class="stack">
          <section class="card stack">
            <div class="card-head">
              <p class="hint">{emailText.payloadHint}</p>
              <button
                type="button"
                onClick={() => saveFile('payload.json', payload, 'application/json')}
              >
                <Icon name="download" /> {emailText.downloadPayload}
              </button>
            </div>
            <CodeBlock
              text={escaped(JSON.stringify(JSON.parse(payload), undefined, 2))}
              copies={payload}
              what={emailText.payload}
            />
          </section>
          {may('deliveries:decide') && <Curl eventId={eventId} payload={payload} />}
        </div>
      )}
    </Loaded>
  );
}

function Curl({ eventId, payload }: { eventId: string; payload: string }) {
  const [command, setCommand] = useState<ReturnType<typeof curlCommand>>();
  const create = () =>
    reporting(async () => {
      const params = { event_id: eventId };
      const signed = await call('POST /deliveries/{event_id}/signature', { params });
      setCommand(curlCommand(signed, payload));
    });
  return (
    <section class="card stack">
      <h2>{emailText.curlTitle}</h2>
      <p class="hint">{emailText.curlHint}</p>
      {command && (
        <CodeBlock text={escaped(command.text)} copies={command.text} what={emailText.curl} />
      )}
      {command?.readsFile && <p class="hint">{emailText.curlFile}</p>}
      <div class="buttons">
        <button type="button" onClick={() => void create()}>
          {emailText.makeCurl}
        </button>
      </div>
    </section>
  );
}
