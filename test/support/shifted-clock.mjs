// Loaded before a service (`--import`): its clock is wrong by CLOCK_SHIFT_MS, in all of its threads.
const shiftMs = Number(process.env.CLOCK_SHIFT_MS);
const RealDate = globalThis.Date;

globalThis.Date = class Date extends RealDate {
  constructor(...given) {
    if (given.length > 0) super(...given);
    else super(RealDate.now() + shiftMs);
  }
  static now() {
    return RealDate.now() + shiftMs;
  }
};
