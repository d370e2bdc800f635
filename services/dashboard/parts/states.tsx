/** The states of a screen other than its data: loading, failed, empty. */
import type { ComponentChildren, JSX } from 'preact';

import { useEffect } from 'preact/hooks';

import { ApiError } from '../client/api.ts';
import type { Resource } from '../client/resource.ts';
import { isLive } from '../client/is-live.ts';
import { partsText } from '../strings/parts.ts';
import { Link } from './link.tsx';
import { type Back, PageHead } from './page-head.tsx';

type EmptyProps = {
  title: string;
  text: string;
  /** The screen shows nothing else, so its title is the title of the page. */
  isScreen?: boolean;
  children?: ComponentChildren;
};

export const EmptyState = ({ title, text, isScreen = false, children }: EmptyProps) => (
  <div class="empty">
    {isScreen ? <h1>{title}</h1> : <h2>{title}</h2>}
    <p>{text}</p>
    {children}
  </div>
);

/** A resource that is only shown. */
export type Loadable<T> = Pick<Resource<T>, 'data' | 'error' | 'reload'>;

type LoadedProps<T> = {
  resource: Loadable<T>;
  /** Number of gray rows while nothing is there yet, so that the screen does not jump. */
  rows?: number;
  /** The head while the data is missing, for a screen whose title is part of its data. */
  head?: { title: string; back: Back };
  children: (data: T) => JSX.Element | null;
};

/** The data once it is there. A failure of a reload keeps the old data in view. */
export function Loaded<T>({ resource, rows = 5, head, children }: LoadedProps<T>) {
  const { data, error, reload } = resource;
  useReloadWhenLive(error, reload);
  if (head && data === undefined && error instanceof ApiError && error.status === 404)
    return <Missing back={head.back} />;
  return (
    <>
      {head && data === undefined && <PageHead {...head} />}
      {error && (
        <div class="notice notice-bad" role="alert">
          <span>{error.message}</span>
          <button type="button" onClick={reload}>
            {partsText.tryAgain}
          </button>
        </div>
      )}
      {data === undefined && !error && <Skeleton rows={rows} />}
      {data !== undefined && children(data)}
    </>
  );
}

/** The API responds again as soon as the stream does. */
function useReloadWhenLive(error: Error | undefined, reload: () => void): void {
  const isUnreached = error instanceof ApiError && error.status === 0;
  const isHere = isLive.value;
  useEffect(() => {
    if (isUnreached && isHere) reload();
  }, [isUnreached, isHere]);
}

/** The link is wrong, or someone deleted it. */
const Missing = ({ back }: { back: Back }) => (
  <EmptyState isScreen title={partsText.missingTitle} text={partsText.missingText}>
    <Link to={back.to}>{back.label}</Link>
  </EmptyState>
);

const Skeleton = ({ rows }: { rows: number }) => (
  <div class="skeleton" aria-busy="true" aria-label={partsText.loading} role="status">
    {Array.from({ length: rows }, (_, n) => (
      <div key={n} class="skeleton-row" />
    ))}
  </div>
);
