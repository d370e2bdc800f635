/** Dates in the headers of emails. */

/** As RFC 5322 §3.3 writes it, in UTC. @param time ISO 8601, if it is a text */
export const mailDate = (time: string | Date): string =>
  new Date(time).toUTCString().replace('GMT', '+0000');
