/** The setting of the search in texts: gateways collect the words, the API searches them. */
import { Duration } from '../../core/time/duration.ts';

export const SearchConfig = {
  SEARCH_BODIES: Duration.prefault('0s').describe(
    'how long after its receipt an email can be found by the words of its text, such as 30d, in ' +
      'accounts whose setting `search_bodies` is on; 0s: texts are not searched. It costs disk and ' +
      'memory of MongoDB: see docs/sizing.md',
  ),
};
