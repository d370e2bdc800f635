/** Data that a screen loads from the API, with its loading, failed and ready states. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

export type Resource<T> = {
  /** The last data, also while it loads again. */
  data: T | undefined;
  error: Error | undefined;
  isLoading: boolean;
  reload: () => void;
  /** Changes the data in place, such as by a live event. */
  change: (update: (data: T) => T) => void;
};

type State<T> = { data: T | undefined; error: Error | undefined; isLoading: boolean };

/** @param key names what is loaded: a new key discards the old data only when the new one arrives */
export function useResource<T>(
  key: string,
  load: (signal: AbortSignal) => Promise<T>,
): Resource<T> {
  const [state, setState] = useState<State<T>>({
    data: undefined,
    error: undefined,
    isLoading: true,
  });
  const [round, setRound] = useState(0);
  const latest = useRef(load);
  latest.current = load;

  useEffect(() => {
    const abort = new AbortController();
    setState(({ data }) => ({ data, error: undefined, isLoading: true }));
    const show = async () => {
      try {
        const data = await latest.current(abort.signal);
        if (!abort.signal.aborted) setState({ data, error: undefined, isLoading: false });
      } catch (cause) {
        const error = cause instanceof Error ? cause : new Error(String(cause));
        if (!abort.signal.aborted) setState(({ data }) => ({ data, error, isLoading: false }));
      }
    };
    void show();
    return () => abort.abort();
  }, [key, round]);

  const reload = useCallback(() => setRound((n) => n + 1), []);
  const change = useCallback(
    (update: (data: T) => T) =>
      setState((now) => (now.data === undefined ? now : { ...now, data: update(now.data) })),
    [],
  );
  return { ...state, reload, change };
}

/**
 * Runs it immediately, and then again only after this time. Calls in between are answered by one
 * run at its end.
 */
export function useThrottled(run: () => void, everyMs: number): () => void {
  const latest = useRef(run);
  latest.current = run;
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const ranAtMs = useRef(-Infinity);
  useEffect(() => () => clearTimeout(timer.current), []);
  return useCallback(() => {
    clearTimeout(timer.current);
    const waitMs = Math.max(0, ranAtMs.current + everyMs - performance.now());
    timer.current = setTimeout(() => {
      ranAtMs.current = performance.now();
      latest.current();
    }, waitMs);
  }, [everyMs]);
}
