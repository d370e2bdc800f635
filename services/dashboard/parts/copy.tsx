/** A button that copies a text, and shows that it did. */
import { useState } from 'preact/hooks';

import { partsText } from '../strings/parts.ts';
import { Icon } from './icon.tsx';
import { toast } from './toast.tsx';

const SHOWN_MS = 2_000;

/** @param what is copied, for screen readers, such as `webhook URL` */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const [isCopied, setIsCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setIsCopied(true);
      setTimeout(() => setIsCopied(false), SHOWN_MS);
    } catch {
      toast(partsText.notCopied, true);
    }
  };
  const label = isCopied ? partsText.copied : partsText.copy(what);
  return (
    <button
      type="button"
      class="quiet copy"
      aria-label={label}
      title={label}
      onClick={() => void copy()}
    >
      <Icon name={isCopied ? 'check' : 'copy'} />
    </button>
  );
}

/** A value in monospaced type with its copy button. */
export const Copyable = ({ text, what }: { text: string; what: string }) => (
  <span class="copyable">
    <code>{text}</code>
    <CopyButton text={text} what={what} />
  </span>
);

type CodeProps = {
  text: string;
  /** The text to copy, if it differs from the text that is shown. */
  copies?: string;
  what: string;
};

/** A block of code or of data with its copy button. */
export const CodeBlock = ({ text, copies = text, what }: CodeProps) => (
  <div class="code-block">
    <pre tabIndex={0} aria-label={what}>
      <code>{text}</code>
    </pre>
    <CopyButton text={copies} what={what} />
  </div>
);
