"""Uses OpenAI's Python client against a server: python3 python_client.py BASE_URL API_KEY [RECORD_TO].

With RECORD_TO, writes the requests that it sent as JSON lines, without hosts and keys, and without those
that name a record of the server or upload a file.
"""

import base64
import json
import sys
import time

import httpx2 as httpx
import openai
from pydantic import BaseModel

base_url, api_key, *record_to = sys.argv[1:]
recorded = []


def record(request: httpx.Request) -> None:
    names = ("content-type", "accept", "user-agent", "x-stainless-lang", "x-stainless-raw-response")
    request.read()
    path = str(request.url)[len(base_url):]
    recorded.append(
        {
            "method": request.method,
            "path": path,
            "headers": {name: request.headers[name] for name in names if name in request.headers},
            "body": base64.b64encode(request.content).decode(),
        }
    )


http_client = httpx.Client(event_hooks={"request": [record]}, timeout=60)
client = openai.OpenAI(base_url=base_url, api_key=api_key, http_client=http_client, max_retries=0)

weather = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "The current weather of a city.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}
question = {"role": "user", "content": "How is the weather in Paris?"}


class Person(BaseModel):
    name: str
    age: float


def chat() -> None:
    assert any(model.id == "compatible/echo" for model in client.models.list())
    answer = client.chat.completions.create(model="compatible/words-20", messages=[question])
    assert len(answer.choices[0].message.content.split()) == 20, answer
    stream = client.chat.completions.create(
        model="compatible/words-20", messages=[question], stream=True, stream_options={"include_usage": True}
    )
    text, usage = "", None
    for chunk in stream:
        text += (chunk.choices[0].delta.content or "") if chunk.choices else ""
        usage = chunk.usage or usage
    assert text == answer.choices[0].message.content, text
    assert usage.completion_tokens == 20, usage


def tools() -> None:
    asked = client.chat.completions.create(model="compatible/call-weather", messages=[question], tools=[weather])
    message = asked.choices[0].message
    assert asked.choices[0].finish_reason == "tool_calls", asked
    result = {"role": "tool", "tool_call_id": message.tool_calls[0].id, "content": "sunny, 21 °C"}
    with client.chat.completions.stream(
        model="compatible/call-weather",
        messages=[question, message.model_dump(exclude_none=True), result],
        tools=[weather],
    ) as stream:
        answer = stream.get_final_completion()
    assert "sunny, 21 °C" in answer.choices[0].message.content, answer
    parsed = client.chat.completions.parse(model="compatible/json", messages=[question], response_format=Person)
    assert isinstance(parsed.choices[0].message.parsed, Person), parsed


def responses() -> None:
    answer = client.responses.create(model="compatible/words-20", input="Tell me something.")
    assert len(answer.output_text.split()) == 20, answer
    with client.responses.stream(model="compatible/words-20", input="Tell me something.") as stream:
        assert stream.get_final_response().output_text == answer.output_text
    parsed = client.responses.parse(model="compatible/json", input="Who is it?", text_format=Person)
    assert isinstance(parsed.output_parsed, Person), parsed
    background = client.responses.create(model="compatible/words-20", input="Go on.", background=True)
    deadline = time.monotonic() + 30
    while background.status in ("queued", "in_progress") and time.monotonic() < deadline:
        time.sleep(0.05)
        background = client.responses.retrieve(background.id)
    assert background.status == "completed", background
    client.responses.delete(background.id)


def media() -> None:
    vectors = client.embeddings.create(model="embedded/use-lite", input=["a cat", "a kitten"])
    assert [len(item.embedding) for item in vectors.data] == [512, 512]
    image = client.images.generate(model="embedded/canvas", prompt="A red balloon", size="256x256", response_format="b64_json")
    assert base64.b64decode(image.data[0].b64_json)[1:4] == b"PNG"
    speech = client.audio.speech.create(model="embedded/flite", voice="alloy", input="Good morning.", response_format="wav")
    heard = client.audio.transcriptions.create(model="embedded/moonshine", file=("speech.wav", speech.read()))
    assert "good morning" in heard.text.lower(), heard


def batches() -> None:
    line = {
        "custom_id": "one",
        "method": "POST",
        "url": "/v1/chat/completions",
        "body": {"model": "compatible/echo", "messages": [{"role": "user", "content": "one"}]},
    }
    file = client.files.create(file=("batch.jsonl", json.dumps(line).encode()), purpose="batch")
    batch = client.batches.create(input_file_id=file.id, endpoint="/v1/chat/completions", completion_window="24h")
    deadline = time.monotonic() + 60
    while batch.status not in ("completed", "failed") and time.monotonic() < deadline:
        time.sleep(0.1)
        batch = client.batches.retrieve(batch.id)
    assert batch.status == "completed", batch
    [output] = client.files.content(batch.output_file_id).text.strip().splitlines()
    assert json.loads(output)["response"]["body"]["choices"][0]["message"]["content"] == "one", output


def errors() -> None:
    try:
        client.chat.completions.create(model="nobody/knows", messages=[question])
    except openai.NotFoundError as error:
        assert error.type == "invalid_request_error" and error.param == "model", error
    else:
        raise AssertionError("an unknown model was accepted")


for journey in (chat, tools, responses, media, batches, errors):
    journey()
    print(journey.__name__, "passed", flush=True)
if record_to:
    with open(record_to[0], "w") as file:
        own = ("/files", "/batches", "/audio/transcriptions", "/responses/")
        kept = [request for request in recorded if not request["path"].startswith(own)]
        file.writelines(json.dumps(request) + "\n" for request in kept)
