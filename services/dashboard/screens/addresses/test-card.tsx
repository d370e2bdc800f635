/** A test that a user starts, and its result. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

import { reporting } from '../../parts/toast.tsx';

type Props<Result> = {
  id: string;
  texts: { title: string; hint: string; start: string; busy: string };
  test: () => Promise<Result>;
  children: (result: Result) => ComponentChildren;
};

export function TestCard<Result>({ id, texts, test, children }: Props<Result>) {
  const [result, setResult] = useState<Result | undefined>();
  const [isBusy, setIsBusy] = useState(false);
  const start = async () => {
    setIsBusy(true);
    setResult(undefined);
    await reporting(async () => setResult(await test()));
    setIsBusy(false);
  };
  return (
    <section class="card" aria-labelledby={id}>
      <h2 id={id}>{texts.title}</h2>
      <p class="hint">{texts.hint}</p>
      <button type="button" disabled={isBusy} onClick={() => void start()}>
        {isBusy ? texts.busy : texts.start}
      </button>
      <div role="status">{result !== undefined && children(result)}</div>
    </section>
  );
}
