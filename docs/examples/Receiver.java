// Spring Boot 3.5 with Spring Web (spring-boot-starter-web), Java 17 or later.
// It verifies Svc-Signature, without a further package.
package receiver;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import jakarta.servlet.http.HttpServletRequest;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@SpringBootApplication
public class Receiver {
    static final int MAX_BYTES = 64 << 20;
    static final int TOLERANCE_SECONDS = 300;
    static final ObjectMapper JSON = new ObjectMapper(JsonFactory.builder() // a file is one text: 20 MB by default
        .streamReadConstraints(StreamReadConstraints.builder().maxStringLength(MAX_BYTES).build()).build());
    static final byte[] SECRET = System.getenv("WEBHOOK_SECRET").getBytes(UTF_8);
    static final Pattern BEGINNING = Pattern.compile("^v1,t=([0-9]{1,12}),");
    static final Pattern SIGNATURE = Pattern.compile(",s=([0-9a-f]{64})");
    static final Set<String> SEEN = ConcurrentHashMap.newKeySet(); // use your database: a unique index on event_id

    static void work(JsonNode email) {
        System.out.println(email.at("/event_id").asText() + " " + email.at("/headers/subject").asText());
    }

    // The header is v1,t=<unix seconds>,s=<hex>, with a second s= while the secret is rotated.
    static boolean isFromInlet(String header, byte[] body) throws Exception {
        var beginning = BEGINNING.matcher(header);
        if (!beginning.find()) return false;
        String time = beginning.group(1);
        if (Math.abs(Instant.now().getEpochSecond() - Long.parseLong(time)) > TOLERANCE_SECONDS) return false;
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(SECRET, "HmacSHA256"));
        mac.update((time + ".").getBytes(UTF_8));
        byte[] expected = mac.doFinal(body);
        return SIGNATURE.matcher(header).results()
            .anyMatch(given -> MessageDigest.isEqual(HexFormat.of().parseHex(given.group(1)), expected));
    }

    @PostMapping("/")
    ResponseEntity<Void> receive(HttpServletRequest request) throws Exception {
        byte[] body = request.getInputStream().readNBytes(MAX_BYTES + 1); // as it was sent: its bytes are signed
        if (body.length > MAX_BYTES) return ResponseEntity.status(413).build();
        String header = request.getHeader("Svc-Signature");
        if (header == null || !isFromInlet(header, body)) return ResponseEntity.status(401).build();
        JsonNode email = JSON.readTree(body);
        boolean isNew = SEEN.add(email.at("/event_id").asText());
        if (isNew && !email.at("/is_test").asBoolean()) CompletableFuture.runAsync(() -> work(email)); // does not wait
        return ResponseEntity.noContent().build();
    }

    public static void main(String[] args) {
        var application = new SpringApplication(Receiver.class);
        application.setDefaultProperties(Map.of("server.port", System.getenv("PORT")));
        application.run(args);
    }
}
