/** The words of code-words.ts in Turkish, Czech, Hungarian, and languages with other scripts. */
import { type CodeWords, wordLists } from './code-words.ts';

export const FURTHER_CODE_WORDS: Readonly<Record<string, CodeWords>> = {
  ru: wordLists(`
    strong: код* подтверждения|код* безопасности|код* доступа|код* для входа|код* входа|код* авторизации|
      код* активации|код* проверки|проверочн* код*|одноразов* код*|одноразов* парол*|временн* парол*|временн* код*|
      код* верификации|код* аутентификации|код* восстановления|пин-код*|значн* код*
    weak: код|кода|кодом|коду|пин|пароль
    action: войти|вход*|подтверд*|подтверждени*|авториз*|введите
    other: заказ*|номер заказа|счет*|счёт*|накладн*|посылк*|отправлени*|трек*|обращени*|заявк*|бронировани*|брон*|
      тел|звоните|сумм*|итого|цена|товар*|артикул|количество|полис*|зал|рейс*|№|промокод*|купон*|скидк*|индекс|
      код ошибки|штрихкод*|штрих-код*|qr-код*|верси*|код* бронирования
    thing: аккаунт|клиент*|карт*|телефон*|номер*|год*`),
  uk: wordLists(`
    strong: код* підтвердження|код* безпеки|код* доступу|код* для входу|код* авторизації|код* активації|
      код* перевірки|одноразов* код*|одноразов* парол*|тимчасов* парол*|пін-код*
    weak: код|коду|кодом
    action: увійти|вхід|входу|підтверд*|введіть
    other: замовлення|рахун*|посилк*|відправлення|сум*|ціна|промокод*|індекс
    thing: телефон*|номер*|рік|року`),
  tr: wordLists(`
    strong: doğrulama kod*|güvenlik kod*|onay kod*|giriş kod*|erişim kod*|aktivasyon kod*|tek kullanımlık kod*|
      tek kullanımlık şifre*|tek kullanımlık parola*|tek seferlik kod*|tek seferlik şifre*|geçici şifre*|
      geçici kod*|kimlik doğrulama kod*|sms kod*|haneli kod*
    weak: kod|kodu*|pin|şifre|şifreniz
    action: giriş|oturum aç*|doğrula*|onayla*|girin
    other: sipariş*|fatura*|kargo*|takip*|gönderi*|referans*|talep*|bilet*|rezervasyon*|tel|arayın|tutar*|toplam|
      fiyat*|ürün*|adet|poliçe*|salon|uçuş|indirim kod*|promosyon kod*|kampanya kod*|kupon*|posta kod*|hata kod*|
      qr kod*|alan kod*|sürüm|rezervasyon kod*
    thing: hesap|hesab*|müşteri*|kart*|telefon*|numara*|no|yıl|yılı|sayfa`),
  ja: wordLists(`
    strong: 認証コード|確認コード|検証コード|ワンタイムパスワード|ワンタイムコード|セキュリティコード|ログインコード|アクセスコード|認証番号|確認番号|暗証番号|パスコード|本人確認コード|ワンタイムpin|
      仮パスワード|有効化コード|招待コード|桁のコード|桁の番号
    weak: コード|pinコード
    action: ログイン|サインイン|認証|本人確認|入力して
    other: 注文番号|ご注文|請求書|伝票番号|追跡番号|お問い合わせ|問い合わせ番号|予約番号|ご予約|会員番号|お客様番号|口座番号|金額|合計|価格|商品|数量|証券番号|便名|品番|クーポン|割引コード|
      プロモーションコード|郵便番号|エラーコード|qrコード|バーコード|バージョン|予約コード
    thing: 番号|カード|電話|ページ|年`),
  zh: wordLists(`
    strong: 验证码|驗證碼|校验码|校驗碼|动态码|動態碼|动态密码|動態密碼|动态口令|确认码|確認碼|安全码|安全碼|登录码|登入碼|登錄碼|一次性密码|一次性密碼|一次性代码|一次性代碼|激活码|啟用碼|认证码|
      認證碼|临时密码|臨時密碼|邀请码|邀請碼|识别码
    weak: 代码|代碼|密码|密碼
    action: 登录|登入|验证|驗證|输入|輸入|确认您|身份
    other: 订单|訂單|发票|發票|快递|快遞|运单|單號|单号|追踪|追蹤|参考|工单|预订|預訂|预约|預約|卡号|卡號|尾号|金额|金額|合计|合計|总计|總計|价格|價格|商品|数量|數量|航班|优惠码|優惠碼|
      折扣码|折扣碼|优惠券|邮编|郵遞區號|邮政编码|错误代码|錯誤代碼|二维码|条形码|版本|预订码
    thing: 账户|帳戶|客户|客戶|会员|會員|电话|電話|编号|編號|号码|號碼|年|页`),
  ko: wordLists(`
    strong: 인증번호|인증 번호|인증코드|인증 코드|확인코드|확인 코드|보안코드|보안 코드|일회용 비밀번호|일회용 코드|일회용 인증|로그인 코드|로그인코드|임시 비밀번호|접속 코드|승인코드|
      초대 코드|자리 코드
    weak: 코드|비밀번호|pin
    action: 로그인|인증|확인하려면|입력
    other: 주문번호|주문 번호|주문|송장|운송장|배송|청구서|영수증|문의|예약번호|예약 번호|예약|고객번호|회원번호|금액|합계|총|가격|상품|수량|항공편|쿠폰|할인 코드|할인코드|프로모션|우편번호|
      오류 코드|qr 코드|바코드|버전|예약 코드|예약코드
    thing: 계좌|카드|전화|번호|년|페이지`),
  ar: wordLists(`
    strong: رمز التحقق|رمز التأكيد|رمز الأمان|رمز الدخول|رمز تسجيل الدخول|رمز التفعيل|رمز المصادقة|كود التحقق|
      كود التفعيل|رمز لمرة واحدة|رمزا لمرة واحدة|كلمة المرور لمرة واحدة|كلمة مرور لمرة واحدة|كلمة مرور مؤقتة|
      الرمز المؤقت|رمز الوصول|رمز الاستعادة
    weak: رمز|الرمز|كود|الكود
    action: تسجيل الدخول|تأكيد|التحقق|أدخل
    other: الطلب|رقم الطلب|طلبك|الفاتورة|فاتورة|الشحنة|شحنة|التتبع|المرجع|التذكرة|الحجز|حجز|اتصل|المبلغ|الإجمالي|
      السعر|المنتج|الكمية|الرحلة|كود الخصم|رمز الخصم|الرمز الترويجي|قسيمة|الرمز البريدي|رمز الخطأ|رمز الاستجابة|
      الإصدار|رمز الحجز
    thing: الحساب|العميل|البطاقة|الهاتف|هاتف|رقم|عام|سنة|صفحة`),
  cs: wordLists(`
    strong: ověřovací* kód*|bezpečnostní* kód*|potvrzovací* kód*|přihlašovací* kód*|přístupov* kód*|aktivační* kód*|
      jednorázov* kód*|jednorázov* hesl*|dočasn* hesl*|autorizační* kód*|místn* kód*
    weak: kód|kódu|kódem|pin
    action: přihlás*|přihlášení*|ověř*|potvr*|zadejte
    other: objednávk*|číslo objednávky|faktur*|zásilk*|balík*|sledování|reference|případ*|rezervac*|tel|volejte|
      částk*|celkem|cena|položk*|počet|let|č|slevov* kód*|kupón*|kupon*|poukaz*|psč|kód chyby|qr kód*|čárov* kód*|
      verze|kód* rezervace
    thing: účet|účtu|zákazní*|kart*|telefon*|čísl*|stran*|rok|roku`),
  ro: wordLists(`
    strong: cod de verificare|codul de verificare|cod de confirmare|cod de securitate
    weak: cod|codul
    action: introduce*|confirm*|autentific*|conectare|conecta
    other: comand*|factur*|colet*|cod poștal|cod promoțional|cod de reducere|total
    thing: cont|contul|telefon|card`),
  hu: wordLists(`
    strong: ellenőrző kód*|biztonsági kód*|megerősítő kód*|belépési kód*|bejelentkezési kód*|hitelesítő kód*|
      aktiváló kód*|aktivációs kód*|egyszer használatos kód*|egyszeri kód*|egyszer használatos jelszó*|
      ideiglenes jelszó*|jegyű kód*
    weak: kód|kódot|kódja|kódod|pin|pin-kód*
    action: bejelentkez*|belép*|megerősít*|ellenőriz*|hitelesít*|írja be|add meg|adja meg
    other: rendelés*|rendelési szám|számla*|csomag*|küldemény*|követés*|hivatkozás*|ügyszám|foglalás*|tel|hívja|
      összeg*|összesen|ár|ára|termék*|mennyiség|járat*|kedvezménykód*|kuponkód*|kupon*|utalvány*|irányítószám|
      hibakód*|qr-kód*|vonalkód*|verzió|foglalási kód*
    thing: fiók*|ügyfél*|kártya*|kártyá*|telefon*|szám|száma|oldal|év`),
  hi: wordLists(`
    strong: सत्यापन कोड|वेरिफिकेशन कोड|सुरक्षा कोड|लॉगिन कोड|लॉग इन कोड|पुष्टिकरण कोड|एक बारगी कोड|ओटीपी|
      वन टाइम पासवर्ड|वन-टाइम पासवर्ड|एक्सेस कोड|अस्थायी पासवर्ड
    weak: कोड|पिन
    action: लॉग इन|लॉगिन|सत्यापित|सत्यापन|पुष्टि|दर्ज करें
    other: ऑर्डर|बिल|चालान|इनवॉइस|शिपमेंट|पार्सल|ट्रैकिंग|संदर्भ|टिकट|बुकिंग|आरक्षण|राशि|कुल|कीमत|मूल्य|मात्रा|
      उड़ान|कूपन|छूट कोड|प्रोमो कोड|पिन कोड|पिनकोड|त्रुटि कोड|क्यूआर कोड|संस्करण|लेनदेन
    thing: खाता|खाते|ग्राहक|कार्ड|फ़ोन|फोन|मोबाइल|नंबर|पृष्ठ|वर्ष|साल`),
};
