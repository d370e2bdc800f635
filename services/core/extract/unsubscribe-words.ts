/**
 * How links say that they end a subscription, compiled from the footers of newsletters in each
 * language.
 */
const WORDS = Object.values({
  en: ['unsubscribe', 'opt out', 'opt-out', 'stop receiving', 'manage subscription'],
  de: ['abbestellen', 'austragen'],
  fr: ['désabonner', 'désinscri', 'desabonner', 'se désinscrire'],
  es: ['darse de baja', 'darte de baja', 'cancelar suscripción', 'cancelar la suscripción'],
  pt: ['descadastr', 'cancelar inscrição', 'cancelar a inscrição', 'cancelar subscrição'],
  it: ['annulla iscrizione', "annulla l'iscrizione", 'disiscri', 'cancella iscrizione'],
  nl: ['uitschrijven'],
  pl: ['wypisz', 'rezygnacja z subskrypcji', 'zrezygnuj z subskrypcji', 'anuluj subskrypcję'],
  ru: ['отписаться', 'отписка', 'отказаться от рассылки'],
  uk: ['відписатися', 'скасувати підписку'],
  tr: ['abonelikten çık', 'aboneliği iptal', 'listeden çık'],
  ja: ['配信停止', '配信解除', '登録解除', '購読解除'],
  zh: ['退订', '取消订阅', '退訂', '取消訂閱'],
  ko: ['수신거부', '수신 거부', '구독 취소', '구독취소'],
  ar: ['إلغاء الاشتراك'],
  sv: ['avregistrera', 'avprenumerera', 'avsluta prenumeration'],
  no: ['avmeld'],
  hu: ['leiratkoz'],
  ro: ['dezabon'],
  fi: ['peruuta tilaus', 'peru tilaus'],
  el: ['κατάργηση εγγραφής', 'διαγραφή από τη λίστα'],
  hr: ['odjavi', 'odjava s'],
}).flat();
/** In German, Dutch and Danish, and Czech. With a device or a session, they mean to sign out. */
const ALSO_SIGN_OUT = ['abmelden', 'afmeld', 'odhlásit'];
const DEVICES = /gerät|sitzung|apparaa?t|sessie|enhed|zařízení|relac/;
const IN_URL = /unsub(?:scribe)?\b|unsubscribe|opt-?out|abmelden|desinscri|desabon/i;
const PATH_MAX_CHARS = 1024;

export function saysUnsubscribe(text: string, url: string): boolean {
  const lower = text.toLowerCase();
  const says = (words: readonly string[]) => words.some((word) => lower.includes(word));
  if (says(WORDS)) return true;
  if (says(ALSO_SIGN_OUT)) return !DEVICES.test(lower) || lower.includes('newsletter');
  return IN_URL.test(url.slice(0, PATH_MAX_CHARS));
}
