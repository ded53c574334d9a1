#include <stddef.h>
#include <string_view>
#include <type_traits>
#include <hsa.h>
#include <hsa_ext_amd.h>
#include <hsa_api_trace.h>
#include <hsa_ven_amd_loader.h>
#include <amd_hsa_queue.h>
#include <amd_hsa_signal.h>

// One letter a type: i integer, s struct, f function, c pointer to const, m pointer to what may be changed, v nothing.
template <class T> constexpr char kind() {
  using Target = std::remove_pointer_t<T>;
  if (std::is_void_v<T>) return 'v';
  if (std::is_class_v<T>) return 's';
  if (!std::is_pointer_v<T>) return 'i';
  if (std::is_function_v<Target>) return 'f';
  return std::is_const_v<Target> ? 'c' : 'm';
}

template <class T> constexpr char size() {
  if constexpr (std::is_void_v<T>) return '0';
  else return '0' + sizeof(T);
}

// Whether the result and the parameters are of these kinds and sizes.
template <class R, class... A> constexpr bool is(R (*)(A...), std::string_view expected) {
  const char actual[] = {kind<R>(), size<R>(), kind<A>()..., size<A>()..., 0};
  if (expected.size() != 2 + 2 * sizeof...(A)) return false;
  if (expected[0] != actual[0] || expected[1] != actual[1]) return false;
  for (size_t i = 0; i < sizeof...(A); i++)
    if (expected[2 + 2 * i] != actual[2 + i] || expected[3 + 2 * i] != actual[2 + sizeof...(A) + i]) return false;
  return true;
}
