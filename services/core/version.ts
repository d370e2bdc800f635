/** The version of Inlet, as receivers see it in `User-Agent` (D16). */
export const VERSION = '0.1.0';
