// Loaded before a service (`--import`): its clock is wrong by CLOCK_SHIFT_MS, or by the number in the file
// CLOCK_SHIFT_FILE, which may change at any time. In all of its threads.
import { readFileSync } from 'node:fs';

const READ_EVERY_MS = 200;
const { CLOCK_SHIFT_MS, CLOCK_SHIFT_FILE } = process.env;
const RealDate = globalThis.Date;
let shiftMs = Number(CLOCK_SHIFT_MS ?? 0);

if (CLOCK_SHIFT_FILE) {
  const read = () => (shiftMs = Number(readFileSync(CLOCK_SHIFT_FILE, 'utf8')));
  read();
  setInterval(read, READ_EVERY_MS).unref();
}

globalThis.Date = class Date extends RealDate {
  constructor(...given) {
    if (given.length > 0) super(...given);
    else super(RealDate.now() + shiftMs);
  }
  static now() {
    return RealDate.now() + shiftMs;
  }
};
