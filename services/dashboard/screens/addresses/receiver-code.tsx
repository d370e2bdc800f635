/** Receivers to copy, in three languages: the tested ones of docs/receiving-webhooks.md. */
import { useState } from 'preact/hooks';

import { CodeBlock } from '../../parts/copy.tsx';
import { FoldedCard } from '../../parts/folded-card.tsx';
import { addressText } from '../../strings/addresses.ts';

/** The bundler takes it from the documentation. */
declare const RECEIVER_CODE: { js: string; python: string; go: string };

const LANGUAGES = [
  ['js', 'Node'],
  ['python', 'Python'],
  ['go', 'Go'],
] as const;

/** @param hint where the secret is */
export function ReceiverCode({ hint }: { hint: string }) {
  const [language, setLanguage] = useState<keyof typeof RECEIVER_CODE>('js');
  return (
    <FoldedCard id="receiver-code" title={addressText.receiverCode}>
      <p class="hint">
        {hint}{' '}
        <a href="/docs/receiving-webhooks" target="_blank" rel="noopener">
          {addressText.receiverDocs}
        </a>
      </p>
      <div class="segments" role="group" aria-label={addressText.receiverCode}>
        {LANGUAGES.map(([key, name]) => (
          <button
            key={key}
            type="button"
            aria-pressed={key === language}
            onClick={() => setLanguage(key)}
          >
            {name}
          </button>
        ))}
      </div>
      <CodeBlock text={RECEIVER_CODE[language]} what={addressText.receiverCode} />
    </FoldedCard>
  );
}
