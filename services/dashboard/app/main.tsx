/** The program of the page: session, router, live stream, then the shell. */
import { render } from 'preact';

import { startKeyboard } from '../browser/keyboard.ts';
import { startLive } from '../session/live.ts';
import { startRouter } from '../browser/router.ts';
import { startScheme } from '../browser/scheme.ts';
import { loadWhenIdle } from './lazy.tsx';
import { keepEditsWhenLeaving } from './leaving.ts';
import { startSession } from '../session/session.ts';
import { Shell } from './shell.tsx';

startScheme();
startRouter();
keepEditsWhenLeaving();
startKeyboard();
startLive();
const root = document.getElementById('app');
if (root) render(<Shell />, root);
void startSession();
loadWhenIdle();
