/** The program of the page: session, router, live stream, then the shell. */
import { render } from 'preact';

import { startKeyboard } from './keyboard.ts';
import { startLive } from './live.ts';
import { startRouter } from './router.ts';
import { startScheme } from './scheme.ts';
import { startSession } from './session.ts';
import { Shell } from './shell.tsx';

startScheme();
startRouter();
startKeyboard();
startLive();
const root = document.getElementById('app');
if (root) render(<Shell />, root);
void startSession();
