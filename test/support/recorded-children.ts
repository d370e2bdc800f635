/** Runs before each test file: see run/started-processes.ts. */
import { recordChildren } from '../run/started-processes.ts';

recordChildren();
