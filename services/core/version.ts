/** The version of Inlet, in the `User-Agent` of webhooks (D16). */
export const VERSION = '0.1.0';
