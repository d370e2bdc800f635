/** Icons: outlines on a grid of 24, drawn with the color of the text. */
const PATHS = {
  inlet: 'M3 12h10m-4-4 4 4-4 4M17 4h2a2 2 0 0 1 2 2v12a2 2 0 0 1-2 2h-2',
  overview: 'M4 19V9m5 10V5m5 14v-7m5 7V8',
  mail: 'M4 6h16v12H4zM4 7l8 6 8-6',
  address: 'M16 12a4 4 0 1 0-1.2 2.9c.8.9 1.6 1.1 2.4 1.1 2 0 2.8-1.8 2.8-4a8 8 0 1 0-3 6.2',
  domain:
    'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM4 12h16' +
    'M12 4c2.5 2.2 3.5 5 3.5 8s-1 5.8-3.5 8c-2.5-2.2-3.5-5-3.5-8s1-5.8 3.5-8z',
  token: 'M14 10a4 4 0 1 0-3.5 4H12v2h2v2h3v-3l-3.3-3.3A4 4 0 0 0 14 10zM9 9h.01',
  usage: 'M4 18 9 12l4 3 7-9',
  activity: 'M4 12h4l3-7 3 14 2-7h4',
  account: 'M12 12a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM5 20c.6-3.5 3.4-5.5 7-5.5s6.4 2 7 5.5',
  people:
    'M9 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM3 19c.5-3.3 2.9-5 6-5s5.5 1.7 6 5' +
    'M16 11a2.5 2.5 0 0 0 0-5m1.5 8.5c2 .5 3.2 2 3.5 4.5',
  search: 'M11 5a6 6 0 1 0 0 12 6 6 0 0 0 0-12zM16 16l4 4',
  sun:
    'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 3v2m0 14v2M3 12h2m14 0h2' +
    'M5.6 5.6 7 7m10 10 1.4 1.4M5.6 18.4 7 17M17 7l1.4-1.4',
  moon: 'M19 14.5A7.5 7.5 0 0 1 9.5 5 7.5 7.5 0 1 0 19 14.5z',
  display: 'M4 5h16v11H4zM9 20h6M12 16v4',
  keyboard: 'M3 7h18v10H3zM7 10h.01M11 10h.01M15 10h.01M7 14h10',
  leave: 'M10 4H6a1 1 0 0 0-1 1v14a1 1 0 0 0 1 1h4M9 12h11m-4-4 4 4-4 4',
  copy: 'M9 9h10v10H9zM15 9V5H5v10h4',
  check: 'M5 13l4 4L19 7',
  cross: 'M6 6l12 12M18 6 6 18',
  warning: 'M12 4 2.8 20h18.4zM12 10v4M12 17h.01',
  attachment: 'm18 11-7 7a4 4 0 0 1-6-6l8-8a2.7 2.7 0 0 1 4 4l-8 8a1.3 1.3 0 0 1-2-2l7-7',
  back: 'M15 5l-7 7 7 7',
  forward: 'M9 5l7 7-7 7',
  up: 'M5 15l7-7 7 7',
  down: 'M5 9l7 7 7-7',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  bell: 'M6 16V11a6 6 0 1 1 12 0v5l1.5 2h-15zM10 20.5h4',
  bucket:
    'M4 7c0-1.4 3.6-2.5 8-2.5S20 5.6 20 7s-3.6 2.5-8 2.5S4 8.4 4 7zM4 7l2 12c1.5.8 3.6 1 6 1s4.5-.2 6-1l2-12',
  grip: 'M9 6h.01M15 6h.01M9 12h.01M15 12h.01M9 18h.01M15 18h.01',
  rules: 'M4 6h10M4 12h6M4 18h4M17 8v12m-4-4 4 4 4-4',
  list: 'M9 6h11M9 12h11M9 18h11M4 6h.01M4 12h.01M4 18h.01',
  replay: 'M5 12a7 7 0 1 1 2 5M5 17v-5h5',
  plus: 'M12 5v14M5 12h14',
  docs: 'M6 4h9l3 3v13H6zM9 10h6M9 14h6',
  filter: 'M4 6h16M7 12h10M10 18h4',
  clock: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM12 8v4l3 2',
  eye:
    'M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12z' +
    'M12 9.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5z',
  download: 'M12 4v11m-4-4 4 4 4-4M5 20h14',
} as const;

export type IconName = keyof typeof PATHS;

/** Decoration: the text next to it, or the label of its button, says what it means. */
export const Icon = ({ name }: { name: IconName }) => (
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
    <path d={PATHS[name]} />
  </svg>
);
