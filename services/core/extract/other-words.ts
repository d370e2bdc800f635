/** Words that say that a number, or a mix of letters and digits, is not a code, in all languages together. */

/** In an email about a journey, a confirmation code is the number of a booking. */
export const CONFIRMATION =
  /confirm|bestätigungscode|bevestigingscode|potwierdz|bekräftelse|onay|確認番号/i;
/** Without `lot` and `vol` alone, which mean something else in other languages. */
export const BOOKING_WORDS = (
  'reservation|booking|itinerary|flight|hotel|check-in|buchung|reservierung|flug|réservation|votre vol|vos vols|' +
  'numéro de vol|hôtel|reserva|vuelo|voo|prenotazione|volo|boeking|reservering|vlucht|rezerwac*|lotu|twój lot|' +
  'bokning|flyg|бронирован*|рейс*|rezervasyon*|uçuş|予約|便名|预订|航班|예약|الحجز|الرحلة'
).split('|');

/** Next to these, a code gives a discount. */
export const PROMOTION_WORDS = (
  'off|discount*|checkout|promo|promo*|coupon*|voucher*|sale|deal|save|offer*|referral|gift*|' +
  'rabatt*|gutschein*|sparen|réduction|promo*|remise|soldes|cadeau|descuento*|oferta*|ahorra|' +
  'desconto*|promoção|economize|sconto|offerta|risparmia|korting*|rabat*|zniżk*|promocj*|rea|' +
  'скидк*|промо*|indirim*|kampanya*|win|prize*|bonus|reward*|cashback|redeem*|gewinn*|gagnez|gana|' +
  'vinci|ganhe|割引|クーポン|הנחה|מבצע|קופון|تخفیف|ส่วนลด|คูปอง|giảm giá|khuyến mãi|diskon|kupon|έκπτωση|' +
  'κουπόνι|छूट|セール|オフ|优惠|優惠|折扣|할인|쿠폰|خصم|تخفيض|عرض'
).split('|');

/** On the receipt of a card terminal, an authorization code is the number of a payment. */
export const PAYMENT = /auth|approval|genehmigung/i;
export const RECEIPT_WORDS = (
  'terminal|terminal id|merchant|merchant id|tid|mid|aid|approved|card sale|receipt|cardholder copy|customer copy|' +
  'contactless|kartenzahlung|kundenbeleg|händlerbeleg|terminal-id|ticket client|recibo|ricevuta|paragon'
).split('|');

/** After a number, these make it an amount. */
export const UNITS = new Set(
  (
    'minutes minute mins min minuten minuti minutos minuter minut minuty dakika минут минуты мин hours hour hrs ' +
    'stunden heures horas ore uur timmar godzin saat часов seconds seconde sekunden secondes segundos days tage ' +
    'jours días dias giorni dagen dni dagar gün дней usd eur gbp chf jpy cny inr brl pln sek nok dkk rub krw ' +
    'kr zł tl руб euro euros dollars points punkte points miles km kg mb gb kb tb kwh pcs stk items users ' +
    'people personen views visitors followers steps kcal cm mm px dpi'
  ).split(' '),
);
