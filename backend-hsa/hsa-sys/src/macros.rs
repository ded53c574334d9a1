//! Macros that declare what the headers declare, and list it for the comparison with them.

/// Declares structs and, for the tests, a function `layouts` that lists them.
macro_rules! layouts {
    ($(
        $(#[$meta:meta])*
        pub struct $name:ident = $c:literal {
            $($(#[$field_meta:meta])* $vis:vis $field:ident: $type:ty = $c_field:literal,)+
        }
    )+) => {
        $(
            $(#[$meta])*
            #[derive(Clone, Copy, Debug)]
            #[repr(C)]
            pub struct $name { $($(#[$field_meta])* $vis $field: $type,)+ }
        )+

        #[cfg(test)]
        pub(crate) fn layouts() -> Vec<crate::tests::Layout> {
            vec![$(crate::tests::Layout {
                name: $c,
                size: size_of::<$name>(),
                fields: vec![$(($c_field, std::mem::offset_of!($name, $field), size_of::<$type>())),+],
            }),+]
        }
    };
}

/// Declares modules of constants that share a prefix and, for the tests, a function `constants` that lists them.
macro_rules! constants {
    ($(
        $(#[$meta:meta])*
        pub mod $module:ident: $type:ty = $prefix:literal {
            $($(#[$doc:meta])* $name:ident = $value:expr,)+
        }
    )+) => {
        $(
            $(#[$meta])*
            pub mod $module {
                $(
                    #[doc = concat!("`", $prefix, stringify!($name), "`.")]
                    $(#[$doc])*
                    pub const $name: $type = $value;
                )+
            }
        )+

        #[cfg(test)]
        pub(crate) fn constants() -> Vec<(&'static str, i128)> {
            vec![$($((concat!($prefix, stringify!($name)), i128::from($module::$name))),+),+]
        }
    };
}

/// Declares a table of functions: `required` ones, which every runtime has, and others, which may be missing. A
/// function says which are, between others, in a runtime's table; `None` is for an order that is not known.
macro_rules! table {
    (
        $(#[$meta:meta])*
        pub struct $table:ident = $c:literal, $prefix:literal, $gaps:ident {
            $($(#[$doc:meta])* $kind:ident $name:ident $(($($arg:ident: $type:ty),*) $(-> $ret:ty)?)?;)+
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug)]
        #[repr(C)]
        pub struct $table {
            /// What the runtime says of its own table: zeros where the functions come from somewhere else.
            pub version: $crate::table::Version,
            $(
                #[doc = concat!("`", $prefix, stringify!($name), "`.")]
                $(#[$doc])*
                pub $name: entry!($kind $(($($arg: $type),*) $(-> $ret)?)?),
            )+
        }

        // SAFETY: `repr(C)`, a version, then one pointer an entry; those that are not `required` are options.
        unsafe impl $crate::table::Table for $table {
            const NAME: &'static str = $c;
            const ENTRIES: &'static [$crate::table::Entry] = &[$($crate::table::Entry {
                name: concat!($prefix, stringify!($name)),
                required: is_required!($kind),
            }),+];

            fn gaps(version: $crate::table::Version) -> Option<&'static [usize]> {
                $gaps(version)
            }

            fn version(&self) -> $crate::table::Version {
                self.version
            }
        }

        #[cfg(test)]
        impl $table {
            /// The signatures of those that are used.
            pub(crate) fn signatures() -> Vec<crate::tests::Signature> {
                vec![$($(crate::tests::Signature {
                    name: concat!($prefix, stringify!($name)),
                    types: vec![
                        (return_type!(@name $($ret)?), size_of::<return_type!($($ret)?)>()),
                        $((stringify!($type), size_of::<$type>()),)*
                    ],
                },)?)+]
            }
        }
    };
}

/// The type of an entry.
macro_rules! entry {
    (required $($signature:tt)+) => { unsafe extern "C" fn $($signature)+ };
    (optional $($signature:tt)+) => { Option<unsafe extern "C" fn $($signature)+> };
    (unused) => { Option<unsafe extern "C" fn()> };
}

/// Whether every runtime has an entry of this kind.
macro_rules! is_required {
    (required) => {
        true
    };
    ($kind:ident) => {
        false
    };
}

/// The type that a function returns, or its name.
#[cfg(test)]
macro_rules! return_type {
    (@name) => {
        "()"
    };
    (@name $type:ty) => {
        stringify!($type)
    };
    () => {
        ()
    };
    ($type:ty) => {
        $type
    };
}
