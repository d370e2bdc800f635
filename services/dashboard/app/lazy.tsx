/** Screens that are loaded when someone opens one of them, or when the browser has nothing else to do. */
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import type { ScreenProps } from '../browser/router.ts';
import { PageHead } from '../parts/page-head.tsx';
import { EmptyState, Loaded } from '../parts/states.tsx';
import { shellText } from '../strings/shell.ts';
import type { FurtherScreens } from './further-screens.ts';

let loaded: FurtherScreens | undefined;

async function loadAll(): Promise<void> {
  loaded ??= (await import('./further-screens.ts')).FURTHER_SCREENS;
}

const LOADING = { data: undefined, error: undefined, reload: () => undefined };

export const lazy = (name: keyof FurtherScreens): ComponentType<ScreenProps> =>
  function LazyScreen(props) {
    const [state, setState] = useState<'loading' | 'loaded' | 'failed'>('loading');
    useEffect(() => {
      loadAll().then(
        () => setState('loaded'),
        () => setState('failed'),
      );
    }, []);
    const Shown = loaded?.[name];
    if (Shown) return <Shown {...props} />;
    if (state === 'failed') return <NotLoaded />;
    return (
      <>
        <PageHead title={props.title} />
        <Loaded resource={LOADING}>{() => null}</Loaded>
      </>
    );
  };

/** The server may have another version by now, whose files have other names. */
const NotLoaded = () => (
  <EmptyState isScreen title={shellText.notLoadedTitle} text={shellText.notLoadedText}>
    <button type="button" onClick={() => location.reload()}>
      {shellText.reload}
    </button>
  </EmptyState>
);

const IDLE_MS = 1_500;

/** So that no screen waits for the network when it opens, as a rule. */
export const loadWhenIdle = (): void =>
  void setTimeout(() => void loadAll().catch(() => undefined), IDLE_MS);
