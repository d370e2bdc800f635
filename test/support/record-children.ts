/** Runs before each test file: see run/guard.ts. */
import { recordChildren } from '../run/guard.ts';

recordChildren();
